"""The bench arm as a rig sees it: over the wire alone, so that the suite runs
unchanged against the simulated device, an emulated board and a real one."""

import pytest


@pytest.fixture
def arm(agentmote_client):
    """The arm, at rest."""
    agentmote_client.call("arm_stop")
    agentmote_client.forget()
    return agentmote_client


@pytest.fixture
def home(arm):
    """The arm, every joint at 0 degrees."""
    arm.call("arm_home")
    arm.forget()
    return arm


@pytest.fixture
def pose(arm):
    """Reads the angle of each joint, where the device has room for that."""
    if "resources" not in arm.capabilities:
        pytest.skip("this device has no resources")
    return lambda: arm.read("device://bench-arm/pose")["deg"]

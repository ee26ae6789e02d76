"""Subscriptions to resources, from a Python device to a Python rig."""

import asyncio
import threading

import pytest

import agentmote

COUNT = "device://rig/count"


def rig(clock=None):
    device = agentmote.Device("rig", clock=clock)
    device.count = 0

    @device.resource(COUNT, subscribable=True)
    def count() -> dict:
        """Counts."""
        return {"count": device.count}

    @device.resource("device://rig/fixed")
    def fixed() -> str:
        """Never changes."""
        return "x"

    @device.tool
    def bump() -> int:
        """Counts on."""
        device.count += 1
        device.changed(COUNT)
        return device.count

    return device


@pytest.fixture(params=["modern", "legacy"])
def era(request):
    return request.param


@pytest.fixture(params=["lines", "http"])
def client(request, era):
    device = rig()
    served = device.serving() if request.param == "http" else None
    with agentmote.connect(served.url if served else device, era=era, timeout=10) as client:
        yield client
    if served:
        served.close()


def test_a_subscriber_hears_of_each_change(client):
    assert client.capabilities["resources"]["subscribe"] is True
    with client.subscribe(COUNT) as changes:
        assert changes.wait(0.3) is False
        for number in (1, 2, 3):
            client.call("bump")
            assert changes.wait(5) is True
            assert client.read(COUNT) == {"count": number}
        assert changes.wait(0.3) is False
    changes.close()
    client.call("bump")
    assert client.read(COUNT) == {"count": 4}


def test_a_change_while_another_call_goes_on(client):
    with client.subscribe(COUNT) as changes:
        thread = threading.Thread(target=lambda: client.call("bump"))
        thread.start()
        assert changes.wait(5) is True
        thread.join()


def test_what_was_before_is_not_told(client):
    client.call("bump")
    with client.subscribe(COUNT) as changes:
        assert changes.wait(0.3) is False


@pytest.mark.parametrize("uri", ["device://rig/fixed", "device://rig/none"])
def test_what_cannot_be_subscribed_to_is_told(client, uri):
    with pytest.raises((agentmote.InvalidAnswer, agentmote.ProtocolError)):
        client.subscribe(uri)
    assert client.call("bump")["result"] == 1


def test_a_device_without_such_resources_does_not_offer_it(era):
    device = agentmote.Device("rig")
    device.resource("device://rig/fixed", name="fixed")(lambda: "x")
    with agentmote.connect(device, era=era) as client:
        assert "subscribe" not in client.capabilities["resources"]
        with pytest.raises(agentmote.ProtocolError) as caught:
            client.subscribe("device://rig/fixed")
        assert caught.value.code == -32601


def test_on_a_virtual_clock_a_change_is_heard_within_a_tenth_of_a_second(era):
    clock = agentmote.Clock(virtual=True)
    with agentmote.connect(rig(clock), era=era) as client:
        with client.subscribe(COUNT) as changes:
            assert changes.wait(1000) is False
            assert 1000 <= clock.now() < 1001
            before = clock.now()
            client.call("bump")
            assert changes.wait(1000) is True
            assert clock.now() - before <= 0.11


def test_async_code_hears_too(era):
    async def main():
        async with await agentmote.connect_async(rig(), era=era) as client:
            changes = await client.subscribe(COUNT)
            await client.call("bump")
            assert await client.changed(changes, 5) is True
            changes.close()

    asyncio.run(asyncio.wait_for(main(), 30))


def test_a_subscription_does_not_hold_up_handle():
    device = rig()
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "0"},
    }
    import json

    def ask(number, method, params):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        return device.handle(json.dumps(message).encode(), timeout=5)

    ask(1, "initialize", params)
    assert json.loads(ask(2, "resources/subscribe", {"uri": COUNT}))["result"] == {}
    assert json.loads(ask(3, "ping", {}))["result"] == {}


def test_only_resources_of_the_device_change():
    device = rig()
    with pytest.raises(KeyError, match="no resource"):
        device.changed("device://rig/none")
    with pytest.raises(ValueError, match="a template cannot be subscribed to"):
        agentmote.Device("rig").resource("a:{b}", subscribable=True)(lambda b: b)
    many = agentmote.Device("rig")
    with pytest.raises(ValueError, match="more resources can be subscribed to"):
        for at in range(16):
            many.resource(f"a:{at}", name=f"r{at}", subscribable=True)(lambda: "")

//! What can be read of the arm.

use agentmote::ToolResult;
use agentmote::resource::{Read, Reading, Resource};

use crate::{Arm, JOINTS, Temp};

pub(crate) static RESOURCES: [Resource<Arm>; 2] = [
    Resource {
        title: "Temperature",
        description: "Temperature of the arm's board, in degrees Celsius.",
        mime: "application/json",
        #[cfg(feature = "subscriptions")]
        watch: Some(|arm, _| arm.celsius.to_bits()),
        ..Resource::new("device://bench-arm/temperature", "temperature", temperature)
    },
    Resource {
        title: "Pose",
        description: "Angle of each joint in degrees, base first.",
        mime: "application/json",
        #[cfg(feature = "subscriptions")]
        watch: Some(pose_number),
        ..Resource::new("device://bench-arm/pose", "pose", pose)
    },
];

fn temperature(arm: &mut Arm, reading: &mut Reading<'_>) -> Read {
    reading.json(&Temp {
        celsius: arm.celsius,
    })
}

#[derive(ToolResult)]
struct Pose {
    /// Angle of each joint.
    deg: heapless::Vec<f32, JOINTS>,
}

fn pose(arm: &mut Arm, reading: &mut Reading<'_>) -> Read {
    let now = reading.now();
    let mut deg = heapless::Vec::new();
    for joint in 0..JOINTS {
        // There is room for each.
        let _ = deg.push(arm.angle(joint, now) as f32 / 1000.0);
    }
    reading.json(&Pose { deg })
}

/// A number for each pose. Two poses may have the same one, but a joint that
/// moves has no two after each other.
#[cfg(feature = "subscriptions")]
fn pose_number(arm: &Arm, now: agentmote::time::Instant) -> u32 {
    (0..JOINTS).fold(0, |sum: u32, joint| {
        sum.wrapping_mul(180_001)
            .wrapping_add_signed(arm.angle(joint, now))
    })
}

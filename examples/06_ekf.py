"""Locate a robot with an extended Kalman filter on its IMU, GPS receiver and wheel odometry.

State: x, y, heading, scale of the wheels' speed, bias of the gyroscope, and the slow error of GPS (x, y), a
random walk. The speed of the wheels and the gyroscope drive the prediction; fixes of GPS (position and
velocity, once per second) correct it. Each sensor is also used alone, from the same known start.
"""

import numpy as np

import treadle as td
from treadle.scenes.rovers.differential_drive import RADIUS, TRACK, differential_drive

SECONDS, RATE = 240.0, 20.0
spec = differential_drive()
bias = {"gyroscope": {"bias_stddev": 0.004}}
spec.add_sensor("imu", "imu", "body", rate=RATE, noise={"preset": "mpu6000"} | bias)
spec.add_sensor("gps", "gps", "body", rate=1.0, latitude=39.98, longitude=116.33, position=(0, 0, 0.45))
# tyres that are smaller than the odometer takes them for, and set wider
wheels = {"left": ["left_axle"], "right": ["right_axle"], "radius": 1.03 * RADIUS, "track": 0.97 * TRACK}
spec.add_sensor("odometer", "wheel_odometry", None, rate=RATE, counts=512, parameters=wheels)
sim = td.Simulation(spec.compile())


class Ekf:
    """The filter; x and P are its state and covariance."""

    def __init__(self) -> None:
        self.x = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        self.P = np.diag([0.01, 0.01, 0.001, 0.05, 0.01, 6.0, 6.0]) ** 2

    def predict(self, speed: float, yaw_rate: float, dt: float) -> None:
        c, s, v = np.cos(self.x[2]), np.sin(self.x[2]), self.x[3] * speed
        F = np.eye(7)
        F[:2, 2], F[:2, 3], F[2, 4] = (-dt * v * s, dt * v * c), (dt * speed * c, dt * speed * s), -dt
        self.x[:3] += dt * np.array([v * c, v * s, yaw_rate - self.x[4]])
        drift = np.array([0.02, 0.02, 0.002, 1e-4, 1e-5, 0.08, 0.08])
        self.P = F @ self.P @ F.T + dt * np.diag(drift**2)

    def correct(self, fix: np.ndarray, speed: float) -> None:
        c, s, v = np.cos(self.x[2]), np.sin(self.x[2]), self.x[3] * speed
        H = np.zeros((4, 7))
        H[0, [0, 5]] = H[1, [1, 6]] = 1.0
        H[2:, 2], H[2:, 3] = (-v * s, v * c), (speed * c, speed * s)
        error = fix - np.array([self.x[0] + self.x[5], self.x[1] + self.x[6], v * c, v * s])
        S = H @ self.P @ H.T + np.diag([1.0, 1.0, 0.15, 0.15]) ** 2
        K = np.linalg.solve(S, H @ self.P).T
        self.x, self.P = self.x + K @ error, (np.eye(7) - K @ H) @ self.P


ekf, dt = Ekf(), 1.0 / RATE
imu, odometry, gps = np.zeros(5), np.zeros(3), np.zeros(2)  # x, y, heading (and velocity) of each alone
tracks: dict[str, list[np.ndarray]] = {name: [] for name in ("true", "IMU", "GPS", "odometry", "EKF")}
for k in range(round(SECONDS * RATE)):
    curvature = 0.12 * np.sin(0.05 * sim.time) + 0.05
    for side, sign in (("left", -1.0), ("right", 1.0)):
        sim.actuator(side).command = 1.5 / RADIUS * (1.0 + sign * 0.5 * TRACK * curvature)
    sim.run(seconds=dt)
    (_, _, wz, ax, ay, _), (_, _, speed, yaw_rate) = sim.sensor("imu").value, sim.sensor("odometer").value
    c, s = np.cos(imu[2]), np.sin(imu[2])
    imu += dt * np.array([imu[3], imu[4], wz, c * ax - s * ay, s * ax + c * ay])
    odometry += dt * np.array([speed * np.cos(odometry[2]), speed * np.sin(odometry[2]), yaw_rate])
    ekf.predict(speed, wz, dt)
    fix = dict(zip(sim.sensor("gps").components, sim.sensor("gps").value))
    if k % round(RATE) == 0 and fix["fix"]:
        gps = np.array([fix["x"], fix["y"]])
        ekf.correct(np.array([fix["x"], fix["y"], fix["vx"], fix["vy"]]), speed)
    now = {"IMU": imu, "GPS": gps, "odometry": odometry, "EKF": ekf.x, "true": sim.body("body").position}
    for name, place in now.items():
        tracks[name].append(place[:2].copy())

errors = {name: np.linalg.norm(np.subtract(tracks[name], tracks["true"]), axis=1) for name in tracks}
rms = {name: float(np.sqrt(np.mean(errors[name] ** 2))) for name in tracks if name != "true"}
print("root mean square error of the place over", SECONDS, "s:")
print(", ".join(f"{name} {value:.2f} m" for name, value in rms.items()))
print(f"scale of the wheels {ekf.x[3]:.3f}, which is {1 / 1.03:.3f}")
# what is fused knows more than each of its parts
assert all(rms["EKF"] < 0.5 * rms[name] for name in ("IMU", "GPS", "odometry"))
assert abs(ekf.x[3] - 1 / 1.03) < 0.01

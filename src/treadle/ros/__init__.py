"""ROS 2: recordings as bags, and a bridge that runs where `rclpy` is there.

Messages are built once (`messages`), as nested dictionaries by type; bags and the bridge make the messages of
their own libraries from these.
"""

from treadle.ros.bag import save_ros2_bag

__all__ = ["save_ros2_bag"]

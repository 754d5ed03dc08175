"""Poses of nodes on their way to the pages; how they get there is said in `treadle.app.log`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import viser

from treadle.app.log import send_to_pages
from treadle.app.viser_private import line_of, messages, note_pose

__all__ = ["Motion"]

#: Changes of a position (in sizes of the machine) or quaternion that are too small to be seen, and not sent.
_UNSEEN_WAY, _UNSEEN_TURN = 4e-7, 4e-6


class Motion:
    """Moves some nodes of a server's scene; `show(poses)` sends those that moved."""

    def __init__(self, server: viser.ViserServer, nodes: Sequence[viser.FrameHandle], size: float) -> None:
        self._unseen = np.array([_UNSEEN_WAY * size] * 3 + [_UNSEEN_TURN] * 4)
        self._line, self._nodes = line_of(server), list(nodes)
        self._shown = np.zeros((len(nodes), 7))
        self._shown[:, 3] = 1.0
        self._places = [messages.SetPositionMessage(node.name, (0.0, 0.0, 0.0)) for node in nodes]
        self._turns = [messages.SetOrientationMessage(node.name, (1.0, 0.0, 0.0, 0.0)) for node in nodes]
        log = self._line.get_message_buffer()
        for message in (*self._places, *self._turns):
            # these very messages, which are changed with every frame
            log.push(message)

    def show(self, poses: np.ndarray) -> None:
        """Move the nodes to poses (n, 7): position (m) and quaternion (w, x, y, z)."""
        moved = ~(np.abs(poses - self._shown) <= self._unseen)
        slid, turned = moved[:, :3].any(axis=1), moved[:, 3:].any(axis=1)
        moves: list[messages.Message] = []
        # straight to the pages: what viser's handles do besides costs more than the simulation
        for k in np.flatnonzero(slid).tolist():
            self._shown[k, :3] = poses[k, :3]
            note_pose(self._nodes[k], position=poses[k, :3])
            self._places[k].position = tuple(poses[k, :3].tolist())
            moves.append(self._places[k])
        for k in np.flatnonzero(turned).tolist():
            self._shown[k, 3:] = poses[k, 3:]
            note_pose(self._nodes[k], wxyz=poses[k, 3:])
            self._turns[k].wxyz = tuple(poses[k, 3:].tolist())
            moves.append(self._turns[k])
        if moves:
            # that is a frame: one that waits for the next would be seen as a jerk
            send_to_pages(self._line, moves, flush=True)

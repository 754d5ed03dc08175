"""Joints that can only close loops: they prevent some motions, and have no coordinates that give a pose."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from treadle.graph import Scalar
from treadle.joints.joint import Closure, Joint
from treadle.spatial import Motion, Transform

__all__ = ["Tie"]


class Tie(Joint):
    """A joint beside the tree; its positions are what can be measured between its two frames."""

    #: how many relative motions it prevents
    prevents: ClassVar[int]

    @property
    def prevented(self) -> int:
        return self.prevents

    @abstractmethod
    def closure(self, P: Transform, S: Transform) -> Closure: ...

    def transform(self, q: Sequence[Scalar]) -> Transform:
        raise NotImplementedError(f"a {self.kind} joint cannot carry a body")

    def subspace(self, q: Sequence[Scalar]) -> list[Motion]:
        raise NotImplementedError(f"a {self.kind} joint cannot carry a body")

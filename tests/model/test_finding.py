import copy
import json
import pickle

from treadle import ModelSpec
from treadle.model.finding import Finding, as_finding


def test_a_finding_is_a_sentence():
    finding = Finding("bodies that move without a mass", ["a", "b"], "warning", "give them a mass")
    assert finding == 'bodies that move without a mass: "a", "b"'
    assert (finding.elements, finding.severity, finding.hint) == (("a", "b"), "warning", "give them a mass")
    assert as_finding("plain").severity == "note"


def test_copies_keep_everything():
    finding = Finding("files that are missing", ["a.stl"], "warning", "put them there")
    for other in (
        pickle.loads(pickle.dumps(finding)),
        copy.deepcopy(finding),
        as_finding(json.loads(json.dumps(finding.to_dict()))),
    ):
        assert other == finding
        assert vars(other) == vars(finding)


def test_descriptions_keep_findings():
    spec = ModelSpec("odd", report=["said", Finding("left out", ["x"], "warning")])
    again = ModelSpec.from_dict(json.loads(json.dumps(spec.to_dict())))
    assert again.report == spec.report
    assert [line.severity for line in again.report] == ["note", "warning"]

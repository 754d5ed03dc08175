import treadle as td


class Page:
    """Takes the file that a page is sent."""

    client_id = 1

    def __init__(self) -> None:
        self.files = {}

    def send_file_download(self, name, content, save_immediately) -> None:
        self.files[name] = content


def test_a_recording_is_sent_to_the_page_and_can_be_replayed(live, until, tmp_path):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    app = live(sim)
    page, save = Page(), app.stage.save
    save.toggle(page)
    assert save.record.label == "Stop recording"
    time = sim.time
    until(lambda: sim.time > time + 0.3)
    save.toggle(page)
    assert (save.record.label, list(page.files)) == ("Record", ["pendulum.mcap"])
    path = tmp_path / "run.mcap"
    path.write_bytes(page.files["pendulum.mcap"])
    recording = td.read_recording(path)
    assert recording.model == "pendulum"
    assert len(recording) > 20


def test_a_recording_that_nobody_ends_leaves_no_file(live, until):
    app = live(td.Simulation(td.scene("pendulum"), q=[1.0, 0.0]))
    app.stage.save.toggle(None)
    folder = app.stage.save._folder.name
    first = app.stage
    first.scenes.open("arm")
    until(lambda: app.stage is not first)
    from pathlib import Path

    assert not Path(folder).exists()

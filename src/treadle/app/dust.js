// Dust: soft clouds that rise from where the server says, drift, grow and fade.
//
// viser's point clouds are hard discs; the classes of three.js are taken from what is drawn already.
(() => {
  window.treadleDust?.close();

  // clouds at most, seconds that one lasts, and new ones per message
  const MOST = 160, LASTS = 2.4, NEW = 5;
  const viewer = window.treadleViewer;
  const clouds = [];
  let mesh = null, before = 0, due = 0;

  const vertexShader = `
    attribute vec4 cloud;
    attribute float fade;
    varying vec2 at;
    varying float thin;
    void main() {
      at = position.xy;
      thin = fade;
      vec4 eye = viewMatrix * vec4(cloud.xyz, 1.0);
      gl_Position = projectionMatrix * (eye + vec4(position.xy * cloud.w, 0.0, 0.0));
    }`;
  const fragmentShader = `
    varying vec2 at;
    varying float thin;
    void main() {
      float edge = 1.0 - smoothstep(0.0, 1.0, length(at));
      gl_FragColor = vec4(0.46, 0.42, 0.37, 0.34 * thin * edge * edge);
      #include <colorspace_fragment>
    }`;
  const build = () => {
    const { scene, backgroundMaterial } = viewer();
    let like = null;
    scene.traverse((node) => {
      if (!like && node.type === "Mesh" && node.geometry?.type === "BufferGeometry" && node.geometry.attributes.position)
        like = node;
    });
    if (!like || !backgroundMaterial) return;
    const geometry = new like.geometry.constructor(), Attribute = like.geometry.attributes.position.constructor;
    const corners = new Float32Array(12 * MOST), index = new Uint16Array(6 * MOST);
    for (let k = 0; k < MOST; k++) {
      corners.set([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0], 12 * k);
      index.set([0, 1, 2, 0, 2, 3].map((corner) => 4 * k + corner), 6 * k);
    }
    geometry.setAttribute("position", new Attribute(corners, 3));
    geometry.setAttribute("cloud", new Attribute(new Float32Array(16 * MOST), 4));
    geometry.setAttribute("fade", new Attribute(new Float32Array(4 * MOST), 1));
    geometry.setIndex(new Attribute(index, 1));
    const material = new backgroundMaterial.constructor({
      vertexShader, fragmentShader, transparent: true, depthWrite: false, toneMapped: false, fog: false,
    });
    mesh = new like.constructor(geometry, material);
    mesh.frustumCulled = false;
    mesh.renderOrder = 1e5;
    mesh.raycast = () => {};
    scene.add(mesh);
  };
  const draw = () => {
    const { cloud, fade } = mesh.geometry.attributes;
    clouds.forEach(({ place, size, age }, k) => {
      const grown = size * (0.4 + (1.2 * age) / LASTS), thin = Math.min(age / 0.15, 1) * (1 - age / LASTS);
      for (let corner = 0; corner < 4; corner++) {
        cloud.array.set([...place, grown], 16 * k + 4 * corner);
        fade.array[4 * k + corner] = thin;
      }
    });
    mesh.geometry.setDrawRange(0, 6 * clouds.length);
    cloud.needsUpdate = fade.needsUpdate = true;
    viewer().requestRender();
  };
  // only while there are clouds
  const frame = (now) => {
    const seconds = Math.min((now - before) / 1000, 0.1);
    before = now;
    for (const each of clouds) {
      each.age += seconds;
      // slowed down by the air
      const drag = Math.exp(-1.2 * seconds);
      each.speed = each.speed.map((value) => value * drag);
      each.place = each.place.map((value, axis) => value + each.speed[axis] * seconds);
    }
    for (let k = clouds.length - 1; k >= 0; k--) if (clouds[k].age >= LASTS) clouds.splice(k, 1);
    draw();
    due = clouds.length ? requestAnimationFrame(frame) : 0;
  };
  const random = (scale) => scale * (Math.random() - 0.5);
  // {root, places, size}: the machine's node, where dust comes from (m), and the machine's size (m); null: none
  const raise = (cloud) => {
    if (!cloud) clouds.length = 0;
    const root = cloud && viewer()?.nodeRefFromName[cloud.root];
    if (!root) return;
    if (!mesh) build();
    if (!mesh) return;
    root.updateWorldMatrix(true, false);
    for (let k = 0; k < NEW && clouds.length < MOST; k++) {
      const from = cloud.places[Math.floor(Math.random() * cloud.places.length)], size = 0.05 * cloud.size;
      const e = root.matrixWorld.elements, p = from.map((value) => value + random(size));
      const place = [0, 1, 2].map((row) => e[row] * p[0] + e[row + 4] * p[1] + e[row + 8] * p[2] + e[row + 12]);
      // up is y in three.js
      const speed = [random(0.1 * cloud.size), 0.03 * cloud.size + random(0.04 * cloud.size), random(0.1 * cloud.size)];
      clouds.push({ place, speed, size, age: 0 });
    }
    if (!due) {
      before = performance.now();
      due = requestAnimationFrame(frame);
    }
  };
  window.treadle.on("dust", raise);
  window.treadleDust = {
    clouds,
    close: () => {
      cancelAnimationFrame(due);
      mesh?.removeFromParent();
      mesh?.geometry.dispose();
      mesh?.material.dispose();
    },
  };
})();

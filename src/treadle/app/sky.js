// The sky behind the scene: a gradient by direction, drawn before all else, how rough and metallic surfaces are, and
// whether there are shadows: they take half of the time of a picture where no graphics card draws it.
//
// viser has neither; the classes of three.js are taken from what is drawn already.
(() => {
  window.treadleSky?.close();

  // colours (sRGB) of the zenith, of the horizon and below it
  const SKIES = {
    day: [[0.32, 0.52, 0.78], [0.82, 0.88, 0.93], [0.62, 0.6, 0.57]],
    hall: [[0.72, 0.77, 0.83], [0.93, 0.945, 0.96], [0.8, 0.82, 0.84]],
    sea: [[0.36, 0.66, 0.76], [0.22, 0.47, 0.56], [0.14, 0.3, 0.36]],
    tunnel: [[0.1, 0.1, 0.11], [0.16, 0.15, 0.145], [0.08, 0.075, 0.07]],
  };
  const DARK = {
    day: [[0.05, 0.09, 0.16], [0.2, 0.24, 0.29], [0.11, 0.11, 0.11]],
    hall: [[0.08, 0.09, 0.11], [0.17, 0.185, 0.205], [0.1, 0.11, 0.12]],
    sea: [[0.06, 0.16, 0.2], [0.05, 0.12, 0.16], [0.03, 0.08, 0.1]],
    tunnel: [[0.05, 0.05, 0.055], [0.09, 0.085, 0.08], [0.04, 0.04, 0.04]],
  };
  const viewer = window.treadleViewer;
  const dark = () => document.documentElement.dataset.mantineColorScheme === "dark";
  let sky = null, kind = "hall", floor = "", shown = "", surfaces = {}, shadows = null, due = 0;

  const vertexShader = `
    varying vec3 way;
    void main() {
      vec4 eye = inverse(projectionMatrix) * vec4(position.xy, 0.5, 1.0);
      way = transpose(mat3(viewMatrix)) * (eye.xyz / eye.w);
      gl_Position = vec4(position.xy, 0.5, 1.0);
    }`;
  const fragmentShader = `
    varying vec3 way;
    uniform vec3 zenith, horizon, ground;
    void main() {
      float up = normalize(way).y;
      vec3 color = up > 0.0 ? mix(horizon, zenith, pow(up, 0.6)) : mix(horizon, ground, pow(min(-up * 3.0, 1.0), 0.5));
      gl_FragColor = vec4(pow(color, vec3(2.2)), 1.0);
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
    const geometry = new like.geometry.constructor();
    const Attribute = like.geometry.attributes.position.constructor;
    geometry.setAttribute("position", new Attribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
    const material = new backgroundMaterial.constructor({
      vertexShader, fragmentShader, depthTest: false, depthWrite: false, toneMapped: false, fog: false,
      uniforms: { zenith: { value: [0, 0, 0] }, horizon: { value: [0, 0, 0] }, ground: { value: [0, 0, 0] } },
    });
    sky = new like.constructor(geometry, material);
    sky.frustumCulled = false;
    sky.renderOrder = -1e6;
    sky.raycast = () => {};
    scene.add(sky);
  };
  const paint = () => {
    const wanted = `${kind} ${dark()}`;
    if (wanted === shown) return;
    shown = wanted;
    const colors = (dark() ? DARK : SKIES)[kind];
    ["zenith", "horizon", "ground"].forEach((name, k) => (sky.material.uniforms[name].value = colors[k]));
    viewer().requestRender();
  };
  // the ground is as dark as the page
  const dim = () => {
    viewer().nodeRefFromName[floor]?.traverse(({ material }) => {
      const uniforms = material?.uniforms;
      if (!uniforms?.planeColor || material.userData.dark === dark()) return;
      material.userData.light ??= ["planeColor", "cellColor", "sectionColor"].map((name) => [name, uniforms[name].value.clone()]);
      material.userData.dark = dark();
      for (const [name, color] of material.userData.light) uniforms[name].value.copy(color).multiplyScalar(dark() ? 0.13 : 1);
      viewer().requestRender();
    });
  };
  // viser makes a new material where the opacity or side of a mesh changes
  const finish = () => {
    const { nodeRefFromName, scene } = viewer();
    for (const [name, [roughness, metallic]] of Object.entries(surfaces))
      nodeRefFromName[name]?.traverse((node) => {
        // metal that reflects nothing is black
        const metalness = scene.environment ? metallic : 0;
        const material = node.material;
        if (!material?.isMeshStandardMaterial || (material.roughness === roughness && material.metalness === metalness)) return;
        Object.assign(material, { roughness, metalness });
        viewer().requestRender();
      });
  };
  // as the page can, unless someone has chosen
  const shade = () => {
    const cast = shadows ?? window.treadle.card;
    viewer().scene.traverse((light) => {
      if (!light.isDirectionalLight) return;
      // viser has lights that never cast any
      light.userData.casts ??= light.castShadow;
      // by some pixels of the shadow map, whose grain would be seen on bodies otherwise
      const { camera, mapSize } = light.shadow;
      light.shadow.normalBias = (2.5 * (camera.right - camera.left)) / mapSize.x;
      if (light.castShadow === (cast && light.userData.casts)) return;
      light.castShadow = !light.castShadow;
      viewer().requestRender();
    });
  };
  const look = () => {
    if (!viewer()?.scene) return;
    shade();
    if (!sky) build();
    if (sky) paint();
    dim();
    finish();
  };
  due = setInterval(look, 400);

  window.treadleSky = {
    // the kind of sky, the node of the ground, roughness and metalness by name of node, and whether someone wants
    // shadows (true, false, or null where nobody has chosen)
    show: (name, ground, table, cast) => {
      [kind, floor, surfaces, shadows] = [name, ground, table, cast];
      look();
    },
    close: () => {
      clearInterval(due);
      sky?.removeFromParent();
    },
  };
})();

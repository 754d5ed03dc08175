// Contact shading: ambient occlusion in screen space, where parts meet each other and the ground.
//
// Scalable ambient obscurance (McGuire, Mara and Luebke 2012) of the opaque meshes, drawn over each picture where there
// are shadows. viser has none; the classes of three.js are taken from what is drawn already.
(() => {
  const counted = window.treadleShading?.passes() ?? 0;
  window.treadleShading?.close();

  // reach in sizes of the machine, its largest share of the picture's height, samples per pixel, strength, and half the
  // side of the ground in sizes
  const REACH = 0.06, WIDEST = 0.12, SAMPLES = 14, STRENGTH = 0.5, GROUND = 30;
  // the layer of what is solid, and constants of three.js
  const LAYER = 7, FLOAT = 1015, NEAREST = 1003, OWN_BLEND = 5, ADD = 100, ZERO = 200, ONE = 201, SOURCE = 202, BOTH = 2;
  const viewer = window.treadleViewer;
  let on = null, size = 1, floor = "", tools = null, busy = false, passes = counted, due = 0, hooked = null;

  const solidVertex = `
    varying vec3 at;
    void main() {
      #include <begin_vertex>
      #include <project_vertex>
      at = mvPosition.xyz;
    }`;
  // the normal of the triangle towards the camera, and the depth
  const solidFragment = `
    varying vec3 at;
    void main() {
      vec3 normal = normalize(cross(dFdx(at), dFdy(at)));
      gl_FragColor = vec4(normal * sign(-dot(normal, at)), -at.z);
    }`;
  const flatVertex = `
    varying vec2 place;
    void main() {
      place = 0.5 + 0.5 * position.xy;
      gl_Position = vec4(position.xy, 0.0, 1.0);
    }`;
  const shadeFragment = `
    varying vec2 place;
    uniform sampler2D solids;
    uniform mat4 unproject;
    uniform vec2 pixels;
    uniform float reach, perMetre;
    vec3 spot(vec2 p, float depth) {
      vec4 ray = unproject * vec4(2.0 * p - 1.0, 1.0, 1.0);
      return ray.xyz * (-depth / ray.z);
    }
    void main() {
      vec4 here = texture2D(solids, place);
      gl_FragColor = vec4(1.0);
      float wide = min(perMetre * reach / here.w, ${WIDEST.toFixed(3)} * pixels.y);
      // what is far away has not enough pixels
      float near = smoothstep(3.0, 12.0, wide);
      if (here.w <= 0.0 || near <= 0.0) return;
      vec3 P = spot(place, here.w);
      // sixteen turns of the samples, one of each in every four by four pixels
      vec2 cell = mod(floor(gl_FragCoord.xy), 4.0);
      float noise = mod(5.0 * cell.x + 12.0 * cell.y, 16.0) / 16.0;
      float sum = 0.0, r2 = reach * reach, bias = 0.02 * reach + 4e-4 * here.w;
      for (int k = 0; k < ${SAMPLES}; k++) {
        float share = (float(k) + 0.5) / ${SAMPLES.toFixed(1)}, angle = 6.2831853 * (7.0 * share + noise);
        vec2 p = place + share * wide * vec2(cos(angle), sin(angle)) / pixels;
        float depth = texture2D(solids, p).w;
        if (depth <= 0.0) continue;
        vec3 way = spot(p, depth) - P;
        float far = dot(way, way), above = dot(way, here.xyz), f = max(r2 - far, 0.0);
        sum += f * f * f * max((above - bias) / (far + 1e-3 * r2), 0.0);
      }
      float dark = ${(5 * STRENGTH).toFixed(2)} * sum / (r2 * r2 * reach * ${SAMPLES.toFixed(1)});
      gl_FragColor.rgb = vec3(max(0.0, 1.0 - near * dark));
    }`;
  // the mean of four by four pixels, which takes out the noise, without those of another surface
  const coverFragment = `
    varying vec2 place;
    uniform sampler2D solids, shades;
    uniform vec2 pixels;
    void main() {
      float depth = texture2D(solids, place).w, sum = 0.0, weight = 0.0;
      if (depth <= 0.0) discard;
      for (int x = -2; x < 2; x++)
        for (int y = -2; y < 2; y++) {
          vec2 p = place + vec2(float(x), float(y)) / pixels;
          float other = texture2D(solids, p).w, w = other > 0.0 && abs(other - depth) < 0.01 * depth ? 1.0 : 1e-4;
          sum += w * texture2D(shades, p).r;
          weight += w;
        }
      gl_FragColor = vec4(vec3(sum / weight), 1.0);
    }`;

  // ---- what is drawn with: made once there are shadows, whose maps are targets ----
  const build = () => {
    const { scene, backgroundMaterial } = viewer();
    let like = null, Target = null;
    scene.traverse((node) => {
      if (!like && node.type === "Mesh" && node.geometry?.type === "BufferGeometry" && node.geometry.attributes.position)
        like = node;
      Target ??= node.isLight ? node.shadow?.map?.constructor : null;
    });
    if (!like || !Target || !backgroundMaterial) return;
    const Geometry = like.geometry.constructor, Attribute = like.geometry.attributes.position.constructor;
    const Material = backgroundMaterial.constructor, Mesh = like.constructor;
    const surface = (places) => new Geometry().setAttribute("position", new Attribute(new Float32Array(places), 3));
    const flat = (fragmentShader, uniforms, more) => {
      const plain = { depthTest: false, depthWrite: false, toneMapped: false, fog: false };
      const made = new Mesh(
        surface([-1, -1, 0, 3, -1, 0, -1, 3, 0]),
        new Material({ vertexShader: flatVertex, fragmentShader, uniforms, ...plain, ...more }),
      );
      made.frustumCulled = false;
      return made;
    };
    const target = (type) => new Target(1, 1, { type, minFilter: NEAREST, magFilter: NEAREST });
    const solids = target(FLOAT), shades = target(1009);
    const pixels = { value: [1, 1] }, depths = { value: solids.texture };
    const solid = new Material({ vertexShader: solidVertex, fragmentShader: solidFragment, side: BOTH, fog: false });
    // the ground is not a mesh of its own size: viser draws it in its shader
    const ground = new Mesh(surface([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, -1, 0, 1, 1, 0, -1, 1, 0]), solid);
    ground.frustumCulled = ground.matrixAutoUpdate = false;
    ground.layers.set(LAYER);
    ground.raycast = () => {};
    const shade = flat(shadeFragment, {
      solids: depths, pixels, unproject: { value: viewer().camera.projectionMatrixInverse }, reach: { value: 1 }, perMetre: { value: 1 },
    });
    const multiply = {
      blending: OWN_BLEND, blendEquation: ADD, blendSrc: ZERO, blendDst: SOURCE, blendSrcAlpha: ZERO, blendDstAlpha: ONE, transparent: true,
    };
    const cover = flat(coverFragment, { solids: depths, shades: { value: shades.texture }, pixels }, multiply);
    scene.add(ground);
    tools = { solids, shades, solid, ground, shade, cover, pixels };
  };
  // opaque meshes are solid, as long as they are; the ground is where viser's is
  const sort = () => {
    const { scene, nodeRefFromName } = viewer();
    scene.traverse((node) => {
      if (node.type !== "Mesh" || node === tools.ground) return;
      const { isMeshStandardMaterial, transparent } = node.material;
      if (isMeshStandardMaterial && !transparent) node.layers.enable(LAYER);
      else node.layers.disable(LAYER);
    });
    const place = nodeRefFromName[floor];
    tools.ground.visible = Boolean(place);
    if (place) tools.ground.matrix.copy(place.matrixWorld).scale({ x: GROUND * size, y: GROUND * size, z: 1 });
  };

  // ---- after every picture ----
  const draw = (renderer, scene, camera) => {
    if (busy || !on || !tools || camera !== viewer()?.camera) return;
    const { width, height } = renderer.domElement, { solids, shades, shade, cover, pixels } = tools;
    if (solids.width !== width || solids.height !== height) for (const each of [solids, shades]) each.setSize(width, height);
    pixels.value = [width, height];
    const uniforms = shade.material.uniforms, screen = renderer.getRenderTarget();
    uniforms.reach.value = REACH * size;
    uniforms.perMetre.value = 0.5 * height * camera.projectionMatrix.elements[5];
    uniforms.unproject.value = camera.projectionMatrixInverse;
    const kept = [renderer.autoClear, renderer.shadowMap.autoUpdate, renderer.getClearAlpha(), camera.layers.mask, scene.background];
    // below the camera; y is up in three.js
    const at = camera.matrixWorld.elements, ground = tools.ground.matrix.elements;
    [ground[12], ground[14]] = [at[12], at[14]];
    tools.ground.updateMatrixWorld(true);
    const before = renderer.info.render.frame;
    busy = true;
    try {
      renderer.autoClear = true;
      renderer.shadowMap.autoUpdate = false;
      renderer.setClearAlpha(0);
      camera.layers.set(LAYER);
      [scene.overrideMaterial, scene.background] = [tools.solid, null];
      renderer.setRenderTarget(solids);
      renderer.render(scene, camera);
      camera.layers.mask = kept[3];
      [scene.overrideMaterial, scene.background] = [null, kept[4]];
      renderer.setRenderTarget(shades);
      renderer.render(shade, camera);
      renderer.autoClear = false;
      renderer.setRenderTarget(screen);
      renderer.render(cover, camera);
    } finally {
      [renderer.autoClear, renderer.shadowMap.autoUpdate] = kept;
      renderer.setClearAlpha(kept[2]);
      camera.layers.mask = kept[3];
      [scene.overrideMaterial, scene.background] = [null, kept[4]];
      renderer.setRenderTarget(screen);
      passes += renderer.info.render.frame - before;
      busy = false;
    }
  };
  const look = () => {
    const { scene } = viewer() ?? {};
    if (!scene || !on) return;
    if (hooked !== scene) scene.onAfterRender = draw;
    hooked = scene;
    if (!tools) build();
    if (tools) sort();
  };
  due = setInterval(look, 400);

  window.treadleShading = {
    // the node of the ground, the size of the machine (m), and whether there are shadows
    show: (ground, metres, shadows) => {
      [floor, size, on] = [ground, metres, shadows ?? window.treadle.card];
      look();
      viewer()?.requestRender?.();
    },
    // whether parts are shaded now
    shades: () => Boolean(on && tools),
    // how many times three.js has drawn for this, beside the pictures themselves
    passes: () => passes,
    close: () => {
      clearInterval(due);
      if (hooked?.onAfterRender === draw) hooked.onAfterRender = () => {};
      tools?.ground.removeFromParent();
      for (const each of [tools?.solids, tools?.shades, tools?.solid]) each?.dispose();
    },
  };
})();

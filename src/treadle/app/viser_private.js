// What viser's client shows of its insides: used by way of this file, and of no other of the page's scripts.
//
// camera, cameraControl   moved with every picture: the server does not know the window and is a round trip late.
//                         Wanted: cameras that a page's own script may move.
// nodeRefFromName         where bodies are drawn. Wanted: the pose of a node as it is shown.
// requestRender           has a picture drawn after a change. Wanted: the same, public.
// canvas                  the element that the scene is drawn on. Wanted: a fixed id.
// scene                   gets the sky, and its materials their roughness; says when a picture is drawn, so that cameras
//                         are where bodies are. Wanted: roughness and metalness of meshes, a background by direction, and
//                         a call before each picture.
// renderer                how many pictures were drawn, and rays from the camera. Wanted: a picture count, and the node
//                         under the pointer without a click.
//
// Names of nodes that are gone stay in nodeRefFromName; a page on which many scenes were shown would keep them all.
window.treadleForget = () => {
  const nodes = window.__viserMutable.nodeRefFromName;
  for (const name of Object.keys(nodes)) if (nodes[name] === undefined) delete nodes[name];
};
window.treadleViewer = () => window.__viserMutable;
window.treadleRenderer = () => window.__viserMutable?.scene?.__r3f?.root.getState();

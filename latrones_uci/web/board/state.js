// The state of the page: what the server has sent, the place that is displayed, and the user's settings. All that the page
// shows is drawn from it.

/** @type {import("./types").Page} */
export const page = {
  table: null, state: null, came: 0, tree: {given: 0, nodes: [], notes: {}}, edition: 0, analysis: {lines: [], wanted: 0},
  review: null, ply: null, node: null, reachable: {key: "", moves: {}}, asked: "", previewing: false, threat: false,
  flipped: false, ground: "",
  settings: {evaluation: false, states: false, premoves: true, sound: true, plain: false, theme: "paper", name: ""},
};

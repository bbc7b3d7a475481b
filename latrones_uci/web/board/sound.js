// Short sounds, made by the browser itself: a move, a capture, the end of a game.

/** @type {AudioContext | null} */
let context = null;

// A knock of wood: a short burst of a falling tone.
/** @param {number} pitch @param {number} delay @param {number} loudness */
function knock(pitch, delay, loudness) {
  const at = context.currentTime + delay;
  const tone = context.createOscillator();
  const volume = context.createGain();
  tone.type = "triangle";
  tone.frequency.setValueAtTime(pitch, at);
  tone.frequency.exponentialRampToValueAtTime(pitch / 3, at + 0.07);
  volume.gain.setValueAtTime(loudness, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + 0.09);
  tone.connect(volume).connect(context.destination);
  tone.start(at);
  tone.stop(at + 0.1);
}

// Returns the sound for a change from one state to the next: "end", "capture", "move" or nothing.
/** @param {import("./types").State | null} before @param {import("./types").State} now */
export function soundOf(before, now) {
  if (!before || before.record !== now.record) return "";
  if (now.outcome && !before.outcome) return "end";
  if (now.plies.length <= before.plies.length) return "";
  return now.plies.slice(before.plies.length).some(({captures}) => captures.length) ? "capture" : "move";
}

// Plays a sound. Browsers allow it only after the user has clicked or pressed a key on the page.
/** @param {string} name */
export function play(name) {
  if (!name || !navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  knock(name === "capture" ? 300 : 420, 0, 0.25);
  if (name === "capture") knock(220, 0.07, 0.25);
  if (name === "end") for (const [number, pitch] of [420, 520, 630].entries()) knock(pitch, 0.13 * number, 0.2);
}

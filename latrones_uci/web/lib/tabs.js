// One event stream for all tabs, because a browser allows few connections to one server. The tab that holds the leader
// lock reads the stream and passes the events on; when it is closed, another tab gets the lock. Each tab also holds a
// lock of its own while it is open, so that the leader knows which games are shown.

import {find} from "./dom.js";

const scope = `latrones ${location.pathname}`;
const LEADER = `${scope} leader`;
const PAGE = `${scope} page `;
const RETRY_MS = 1000;
const SILENCE_MS = 3000; // the server sends something each second
const LOST_MS = 1500; // until the alarm is shown
const TICK_MS = 100;
const TOO_MANY = 503;
export const NO_ANSWER = "The server does not respond.";
const channel = new BroadcastChannel(scope);
let failed = 0; // when the last request of this page failed; 0 after an answer

/** @param {string} address @param {RequestInit} [options] */
async function request(address, options) {
  const answer = await fetch(address, options).catch(() => {
    failed = performance.now();
    throw new Error(NO_ANSWER);
  });
  if (failed) onConnection(true);
  failed = 0;
  return answer;
}

/** @param {{do: string} & Record<string, any>} command @returns {Promise<any>} */
export async function send(command) {
  const answer = await request("do", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(command)});
  if (!answer.headers.get("Content-Type")?.startsWith("application/json")) throw new Error(await answer.text());
  const value = await answer.json();
  if ("error" in value) throw new Error(value.error);
  return value;
}

// Returns what the server answers at an address, which is JSON.
/** @param {string} address @returns {Promise<any>} */
export async function load(address) {
  const answer = await request(address);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.headers.get("Content-Type")?.startsWith("application/json") ? answer.json() : answer.text();
}

// Empties an error line and runs an action; if it fails, the line shows why. Returns whether it succeeded.
/** @param {Element} line @param {() => any} act */
export async function attempt(line, act) {
  line.textContent = "";
  try {
    await act();
    return true;
  } catch ({message}) {
    line.textContent = message;
    return false;
  }
}

/** @type {string[]} */
let kinds = []; // of events
/** @type {(kind: any, data: any) => void} */
let onEvent = () => {};
/** @type {(isThere: boolean) => void} */
let onConnection = () => {};
let lost = 0; // when the connection was lost, 0 while there is one
let refusal = ""; // why the server refuses one, if it does
/** @type {string | null} */
let mine = null; // the table that this page shows: a game, or a whole match
/** @type {(value?: any) => void} */
let release = () => {};
/** @type {((fresh?: string) => void) | null} */
let update = null; // only in the tab that reads the stream

// Calls `handle(kind, data)` for events of these kinds of the table set by `attend`, and `connected(isThere)`. Shows the
// alarm of the page while there is no connection.
/** @param {string[]} ofKinds @param {(kind: any, data: any) => void} handle @param {(isThere: boolean) => void} connected */
export function listen(ofKinds, handle, connected = () => {}) {
  [kinds, onEvent, onConnection] = [ofKinds, handle, connected];
  channel.onmessage = ({data}) => take(data);
  const alarm = find(".alarm"), usual = [...alarm.childNodes];
  setInterval(() => {
    alarm.hidden = !lost || performance.now() - lost < LOST_MS;
    if (refusal && alarm.textContent !== refusal) alarm.textContent = refusal;
    else if (!refusal && alarm.firstChild !== usual[0]) alarm.replaceChildren(...usual);
  }, TICK_MS);
  navigator.locks.request(LEADER, lead);
}

/** @param {string} table */
export function attend(table) {
  release();
  mine = table;
  navigator.locks.request(`${PAGE}${crypto.randomUUID()} ${table}`, () => {
    const held = new Promise((resolve) => { release = resolve; });
    pass({hello: table});
    return held;
  });
}

/** @param {import("./types").Message} message */
function pass(message) {
  channel.postMessage(message);
  take(message);
}

/** @param {import("./types").Message} message */
function take(message) {
  if ("hello" in message) update?.(message.hello);
  else if ("connected" in message) {
    lost = message.connected ? 0 : lost || performance.now();
    refusal = message.connected ? "" : message.refusal ?? refusal;
    // A stream may outlive requests that fail: the error of one stays for a while.
    if (!message.connected || performance.now() - failed > SILENCE_MS) onConnection(message.connected);
  } else if (message.table === mine) onEvent(message.kind, message.data);
}

// Reads the stream until this page is closed.
function lead() {
  const stream = crypto.randomUUID();
  /** @type {Set<string>} */
  const watched = new Set();
  /** @type {EventSource} */
  let source = null;
  let last = Promise.resolve();
  let heard = 0; // when the server sent something; 0 while the connection is lost

  function hear() {
    if (!heard) pass({connected: true});
    heard = performance.now();
  }

  function lose() {
    heard = 0;
    pass({connected: false});
  }

  setInterval(() => { if (heard && performance.now() - heard > SILENCE_MS) lose(); }, RETRY_MS);

  async function tables() {
    const {held} = await navigator.locks.query();
    const pages = held.map(({name}) => name).filter((name) => name.startsWith(PAGE));
    for (const page of pages) {
      if (watched.has(page)) continue;
      watched.add(page);
      navigator.locks.request(page, () => { watched.delete(page); update(); }); // granted when that page is closed
    }
    return [...new Set(pages.map((page) => page.split(" ").at(-1)))];
  }

  update = (fresh) => {
    last = last.then(async () => {
      if (source.readyState !== EventSource.OPEN) return; // onopen sends the games
      await send({do: "follow", stream, tables: await tables(), fresh: fresh ? [fresh] : []});
    }).catch(() => {}); // the stream has just been lost, and will be reopened
  };

  // An event source does not say why it was refused.
  /** @param {string} address */
  async function explain(address) {
    const stop = new AbortController();
    try {
      const answer = await fetch(address, {signal: stop.signal});
      if (answer.status === TOO_MANY) pass({connected: false, refusal: await answer.text()});
    } catch {
      // the server does not answer, which the page says anyway
    }
    stop.abort();
  }

  async function open() {
    const address = `events?stream=${stream}&tables=${(await tables()).join(",")}`;
    source = new EventSource(address);
    source.onopen = () => { hear(); update(); };
    source.onerror = () => {
      lose();
      if (source.readyState !== EventSource.CLOSED) return;
      setTimeout(open, RETRY_MS);
      explain(address);
    };
    source.addEventListener("beat", () => { hear(); pass({connected: true}); });
    for (const kind of kinds) source.addEventListener(kind, ({data}) => { hear(); pass({kind, ...JSON.parse(data)}); });
  }

  source = /** @type {any} */ ({readyState: EventSource.CLOSED});
  open();
  return new Promise(() => {});
}

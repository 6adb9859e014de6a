/** Where the API is, relative to the page. */
const api = document.body.dataset.api;

/** The tokens of the sign-in. They live as long as the page: nothing is kept in the browser. */
let tokens;

/** What the API refused, in its own words. */
export class Refusal extends Error {
  constructor(status, detail) {
    super(typeof detail === "string" ? detail : detail.map(({ msg }) => msg).join(". "));
    this.status = status;
  }
}

/** Signs in; throws a `Refusal` for wrong credentials. */
export async function signIn(email, password) {
  const answer = await send("/auth/login", { method: "POST", body: JSON.stringify({ email, password }) });
  tokens = await answer.json();
}

export function signOut() {
  tokens = undefined;
}

/** The figures of a report, or whatever else a path of the API answers. */
export async function readReport(path, query) {
  return (await read(path, query)).json();
}

/** The same as a CSV file. */
export async function readCsv(path, query) {
  return (await read(path, { ...query, format: "csv" })).blob();
}

/** Reads with the access token, and once more with a new one when it has expired. */
async function read(path, query) {
  const address = `${path}?${new URLSearchParams(query)}`;
  try {
    return await send(address, { token: tokens?.access_token });
  } catch (refusal) {
    if (refusal.status !== 401 || !tokens) throw refusal;
    const renewed = await send("/auth/refresh", { method: "POST", token: tokens.refresh_token });
    tokens = await renewed.json();
    return send(address, { token: tokens.access_token });
  }
}

async function send(path, { method = "GET", body, token }) {
  const headers = {
    ...(body && { "Content-Type": "application/json" }),
    ...(token && { Authorization: `Bearer ${token}` }),
  };
  const answer = await fetch(api + path, { method, headers, body, credentials: "omit" });
  if (answer.ok) return answer;
  const { detail } = await answer.json().catch(() => ({ detail: answer.statusText }));
  throw new Refusal(answer.status, detail);
}

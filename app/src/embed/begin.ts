import { dataOf } from "learning-platform-client";
import { to } from "../routes.ts";
import { api, tokens } from "../service.ts";
import { keepLaunched } from "./launched.ts";

/**
 * Begins what an LMS launched: the code of the address becomes a session, which this page keeps in memory, and the address
 * leads to the item, to the course, or to where links for the LMS are picked. A code that is worth nothing leaves nobody signed in.
 */
export async function begin(): Promise<void> {
  const given = new URLSearchParams(location.hash.slice(1));
  const [code, name] = [given.get("code"), given.get("launch")];
  tellHeight();
  if (!code) return;
  history.replaceState(history.state, "", location.pathname);
  const verifier = takeVerifier(`lti ${name}`);
  try {
    const body = { code, ...(verifier && { code_verifier: verifier }) };
    const { launch, ...pair } = await dataOf(api.exchangeLtiCode({ body }));
    const { course_id, course_offering_id, content_item_id, deep_linking } = launch;
    keepLaunched(launch);
    const screen = deep_linking ? ["lti", "links"] : ["courses"];
    const route = [...screen, course_id, course_offering_id, ...(content_item_id ? [content_item_id] : [])];
    history.replaceState(history.state, "", to(...route));
    tokens.write(pair);
  } catch {
    // The page says that the launch is over.
  }
}

/** The key whose hash the launch handed over; none where the browser keeps nothing of a frame. */
function takeVerifier(key: string): string | null {
  try {
    const verifier = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    return verifier;
  } catch {
    return null;
  }
}

/** Tells the LMS how high the page is, as it grows: a number, that is no secret. Canvas and others take it so. */
function tellHeight(): void {
  if (parent === window) return;
  let told = 0;
  new ResizeObserver(() => {
    const height = document.documentElement.scrollHeight;
    if (height === told) return;
    told = height;
    parent.postMessage(JSON.stringify({ subject: "lti.frameResize", height }), "*");
    parent.postMessage({ subject: "lti.frameResize", height }, "*");
    parent.postMessage({ subject: "org.imsglobal.lti.frameResize", height }, "*");
  }).observe(document.body);
}

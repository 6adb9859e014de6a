import { dataOf } from "learning-platform-client";
import { screenHref } from "../routes.ts";
import { apiClient, tokenStore } from "../service.ts";
import { rememberLtiLaunch } from "./launched.ts";

/**
 * Starts an LTI launch: exchanges the address's code for a session in memory, and opens the item, the course
 * or the link picker. An invalid code leaves the user signed out.
 */
export async function startSessionFromLtiLaunch(): Promise<void> {
  const given = new URLSearchParams(location.hash.slice(1));
  const [code, name] = [given.get("code"), given.get("launch")];
  tellHeight();
  if (!code) return;
  history.replaceState(history.state, "", location.pathname);
  const verifier = takeVerifier(`lti ${name}`);
  try {
    const body = { code, ...(verifier && { code_verifier: verifier }) };
    const { launch, ...pair } = await dataOf(apiClient.exchangeLtiCode({ body }));
    const { course_id, course_offering_id, content_item_id, deep_linking } = launch;
    rememberLtiLaunch(launch);
    const screen = deep_linking ? ["lti", "links"] : ["courses"];
    const route = [...screen, course_id, course_offering_id, ...(content_item_id ? [content_item_id] : [])];
    history.replaceState(history.state, "", screenHref(...route));
    tokenStore.write(pair);
  } catch {
    // The page shows that the launch is over.
  }
}

/** The code verifier whose hash the launch sent. Null if the browser blocks storage in frames. */
function takeVerifier(key: string): string | null {
  try {
    const verifier = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    return verifier;
  } catch {
    return null;
  }
}

/** Reports the page's height to the LMS as it grows (a message that Canvas and others accept). */
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

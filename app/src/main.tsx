import { render } from "preact";
import { Application } from "./application.tsx";
import { isEmbeddedInLms } from "./service.ts";
import { SessionProvider } from "./session.tsx";
import { finishProviderSignIn } from "./sign-in/provider-sign-in.ts";
import { loadAndApplyLanguage, preferredLanguage } from "./texts.ts";

const mount = document.getElementById("app");
if (!mount) throw new Error("The page has no element for the application");

// If a language file fails to load, the application stays in English.
const signIn = isEmbeddedInLms
  ? import("./embed/start-lti-session.ts").then((embed) => embed.startSessionFromLtiLaunch())
  : finishProviderSignIn();
await Promise.all([loadAndApplyLanguage(preferredLanguage()).catch(() => undefined), signIn]);
render(
  <SessionProvider>
    <Application />
  </SessionProvider>,
  mount,
);

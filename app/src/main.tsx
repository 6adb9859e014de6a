import { render } from "preact";
import { Application } from "./application.tsx";
import { SessionProvider } from "./session.tsx";
import { finishProviderSignIn } from "./sign-in/provider.ts";
import { preferredLanguage, speak } from "./texts.ts";

const mount = document.getElementById("app");
if (!mount) throw new Error("The page has no element for the application");

// Where a language's file cannot be read the application speaks English, as it does from the beginning.
await Promise.all([speak(preferredLanguage()).catch(() => undefined), finishProviderSignIn()]);
render(
  <SessionProvider>
    <Application />
  </SessionProvider>,
  mount,
);

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "./components/button.tsx";
import { Notice } from "./components/notice.tsx";
import { QueryBoundary } from "./query.tsx";
import { moveFocusToNextHeading, useUrlFragment } from "./router.ts";
import { matchRoute, screenHref } from "./routes.ts";
import { NotFoundScreen } from "./screens/not-found.tsx";
import { SignInScreen } from "./screens/sign-in.tsx";
import { LaunchOver, publicScreens, type Screens, screens } from "./screens.ts";
import { isEmbeddedInLms, platformName } from "./service.ts";
import { type CurrentUser, deskOf, useSession } from "./session.tsx";
import { t, useLanguage } from "./texts.ts";
import { TopBar } from "./top-bar.tsx";
import { useUniversityBranding } from "./university-branding.ts";

export function Application() {
  useLanguage();
  const fragment = useUrlFragment();
  const { isSignedIn, person } = useSession();
  const looks = useUniversityBranding();
  const open = screenAt(fragment, publicScreens);
  useFocusAfterSignIn(isSignedIn);
  return (
    <>
      <Button class="skip" onClick={() => document.getElementById("main")?.focus()}>
        {t("skip.to.content")}
      </Button>
      {!isEmbeddedInLms && <TopBar person={person.value} fragment={fragment} looks={looks} />}
      <Connection />
      <main id="main" tabIndex={-1}>
        {open && !isEmbeddedInLms ? (
          open
        ) : isSignedIn ? (
          <QueryBoundary of={person}>
            {(found) =>
              found && (screenAt(withDesk(fragment, found), screens, fragment) ?? <NotFoundScreen />)
            }
          </QueryBoundary>
        ) : isEmbeddedInLms ? (
          <LaunchOver />
        ) : (
          <SignInScreen name={looks?.name ?? platformName} />
        )}
      </main>
    </>
  );
}

/** The screen of an address, remounted per address. Undefined if none matches. */
function screenAt(fragment: string, among: Screens, key = fragment) {
  const route = matchRoute(fragment, Object.keys(among));
  const Found = route && (among[route.pattern] as ComponentType<Record<string, string>>);
  return Found && <Found key={key} {...route.values} />;
}

/** The address, or the person's desk if it names no screen. */
const withDesk = (fragment: string, person: CurrentUser): string =>
  matchRoute(fragment, [""]) ? screenHref(deskOf(person)) : fragment;

/** After sign-in and sign-out the new heading takes the focus. */
function useFocusAfterSignIn(isSignedIn: boolean): void {
  const [before, setBefore] = useState(isSignedIn);
  if (before === isSignedIn) return;
  setBefore(isSignedIn);
  moveFocusToNextHeading();
}

/** Shows that the network is down. */
function Connection() {
  const [isOnline, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const look = () => setOnline(navigator.onLine);
    addEventListener("online", look);
    addEventListener("offline", look);
    return () => {
      removeEventListener("online", look);
      removeEventListener("offline", look);
    };
  }, []);
  return isOnline ? null : <Notice kind="error">{t("error.offline")}</Notice>;
}

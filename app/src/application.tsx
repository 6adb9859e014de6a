import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ButtonWithFocusFallback } from "./components/button.tsx";
import { Notice } from "./components/notice.tsx";
import { QueryBoundary } from "./query.tsx";
import { requestFocusOnNextHeading, useGuardedUrlFragment } from "./router.ts";
import { matchRoute, screenHref } from "./routes.ts";
import { NotFoundScreen } from "./screens/not-found.tsx";
import { SignInScreen } from "./screens/sign-in.tsx";
import { LtiLaunchEndedScreen, publicScreens, type ScreensByPattern, signedInScreens } from "./screens.ts";
import { isEmbeddedInLms, platformName } from "./service.ts";
import { type CurrentUser, startScreenRouteOf, useSession } from "./session.tsx";
import { t, useLanguage } from "./texts.ts";
import { TopBar } from "./top-bar.tsx";
import { useAppliedUniversityBranding } from "./university-branding.ts";

export function Application() {
  useLanguage();
  const fragment = useGuardedUrlFragment();
  const { isSignedIn, person } = useSession();
  const looks = useAppliedUniversityBranding();
  const open = screenAt(fragment, publicScreens);
  useFocusAfterSignIn(isSignedIn);
  return (
    <>
      <ButtonWithFocusFallback class="skip" onClick={() => document.getElementById("main")?.focus()}>
        {t("skip.to.content")}
      </ButtonWithFocusFallback>
      {!isEmbeddedInLms && <TopBar person={person.value} fragment={fragment} looks={looks} />}
      <Connection />
      <main id="main" tabIndex={-1}>
        {open && !isEmbeddedInLms ? (
          open
        ) : isSignedIn ? (
          <QueryBoundary of={person}>
            {(found) =>
              found && (screenAt(withDesk(fragment, found), signedInScreens, fragment) ?? <NotFoundScreen />)
            }
          </QueryBoundary>
        ) : isEmbeddedInLms ? (
          <LtiLaunchEndedScreen />
        ) : (
          <SignInScreen name={looks?.name ?? platformName} />
        )}
      </main>
    </>
  );
}

/** The screen of an address, remounted per address. Undefined if none matches. */
function screenAt(fragment: string, among: ScreensByPattern, key = fragment) {
  const route = matchRoute(fragment, Object.keys(among));
  const Found = route && (among[route.pattern] as ComponentType<Record<string, string>>);
  return Found && <Found key={key} {...route.values} />;
}

/** The address, or the person's desk if it names no screen. */
const withDesk = (fragment: string, person: CurrentUser): string =>
  matchRoute(fragment, [""]) ? screenHref(startScreenRouteOf(person)) : fragment;

/** After sign-in and sign-out the new heading takes the focus. */
function useFocusAfterSignIn(isSignedIn: boolean): void {
  const [before, setBefore] = useState(isSignedIn);
  if (before === isSignedIn) return;
  setBefore(isSignedIn);
  requestFocusOnNextHeading();
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

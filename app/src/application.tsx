import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Notice } from "./parts/notice.tsx";
import { onDemand } from "./parts/on-demand.tsx";
import { placeOf, to } from "./places.ts";
import { Shown } from "./reading.tsx";
import { moveFocusToNextHeading, useFragment } from "./router.ts";
import { CatalogScreen } from "./screens/catalog.tsx";
import { HomeScreen } from "./screens/home.tsx";
import { NotFoundScreen } from "./screens/not-found.tsx";
import { OutlineScreen } from "./screens/outline.tsx";
import { SharedScreen } from "./screens/shared.tsx";
import { SignInScreen } from "./screens/sign-in.tsx";
import { TopicScreen } from "./screens/topic.tsx";
import { platformName } from "./service.ts";
import { type Person, seesReports, signOut, teaches, useSession } from "./session.tsx";
import { chooseLanguage, currentLanguage, type Language, languages, t, useLanguage } from "./texts.ts";

const TeachingScreen = onDemand(async () => (await import("./teaching/offerings.tsx")).TeachingScreen);
const RosterScreen = onDemand(async () => (await import("./teaching/roster.tsx")).RosterScreen);
const LearnerScreen = onDemand(async () => (await import("./teaching/learner.tsx")).LearnerScreen);
const TreeScreen = onDemand(async () => (await import("./teaching/tree.tsx")).TreeScreen);
const PromptsScreen = onDemand(async () => (await import("./teaching/prompts.tsx")).PromptsScreen);
const PromptScreen = onDemand(async () => (await import("./teaching/prompt.tsx")).PromptScreen);
const ReportsScreen = onDemand(async () => (await import("./reports/screen.tsx")).ReportsScreen);

/** Every screen, by the pattern of its address. Those that few people see are loaded when they are asked for. */
const screens = {
  "": HomeScreen,
  catalog: CatalogScreen,
  "courses/:course/:offering": OutlineScreen,
  "courses/:course/:offering/:item": TopicScreen,
  teaching: TeachingScreen,
  "teaching/:course/:offering": RosterScreen,
  "teaching/:course/:offering/learners/:person": LearnerScreen,
  "teaching/:course/:offering/topics/:item": TreeScreen,
  prompts: PromptsScreen,
  "prompts/:name": PromptScreen,
  reports: ReportsScreen,
};

const patterns = Object.keys(screens) as (keyof typeof screens)[];

export function Application() {
  useLanguage();
  const fragment = useFragment();
  const { isSignedIn, person } = useSession();
  const shared = placeOf(fragment, ["shared/:token"]);
  useFocusAfterSignIn(isSignedIn);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        {t("skip.to.content")}
      </button>
      <TopBar person={person.value} fragment={fragment} />
      <Connection />
      <main id="main" tabIndex={-1}>
        {shared ? (
          <SharedScreen token={shared.values["token"] ?? ""} />
        ) : isSignedIn ? (
          <Shown of={person}>{(found) => found && <Screen key={fragment} fragment={fragment} />}</Shown>
        ) : (
          <SignInScreen />
        )}
      </main>
    </>
  );
}

function Screen({ fragment }: { fragment: string }) {
  const place = placeOf(fragment, patterns);
  if (!place) return <NotFoundScreen />;
  const Found = screens[place.pattern] as ComponentType<Record<string, string>>;
  return <Found {...place.values} />;
}

/** Whoever signs in or out is told so by the heading of what they come to. */
function useFocusAfterSignIn(isSignedIn: boolean): void {
  const [before, setBefore] = useState(isSignedIn);
  if (before === isSignedIn) return;
  setBefore(isSignedIn);
  moveFocusToNextHeading();
}

function TopBar({ person, fragment }: { person: Person | undefined; fragment: string }) {
  const current = fragment.replace(/^#\/?/, "").split("/")[0];
  const link = (name: string, label: string) => (
    <a href={to(...(name ? [name] : []))} aria-current={current === name ? "page" : undefined}>
      {label}
    </a>
  );
  return (
    <header class="top">
      <a class="brand" href={to()}>
        <BrandMark />
        {platformName}
      </a>
      {person && (
        <nav aria-label={t("nav")}>
          {link("", t("nav.home"))}
          {link("catalog", t("nav.catalog"))}
          {teaches(person) && link("teaching", t("nav.teaching"))}
          {teaches(person) && link("prompts", t("nav.prompts"))}
          {seesReports(person) && link("reports", t("nav.reports"))}
        </nav>
      )}
      <div class="who">
        <LanguageChoice />
        {person && (
          <>
            <span class="name">{person.profile.full_name}</span>
            <button type="button" class="quiet" onClick={signOut}>
              {t("sign.out")}
            </button>
          </>
        )}
      </div>
    </header>
  );
}

const BrandMark = () => (
  <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="var(--accent)" />
    <path
      d="M16 25V15m0 0L9 9m7 6 7-6"
      fill="none"
      stroke="var(--on-accent)"
      stroke-width="2.4"
      stroke-linecap="round"
    />
  </svg>
);

function LanguageChoice() {
  return (
    <select
      aria-label={t("language")}
      value={currentLanguage()}
      onChange={(event) => chooseLanguage(event.currentTarget.value as Language).catch(() => undefined)}
    >
      {Object.entries(languages).map(([tag, name]) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Says that there is no network, for as long as there is none. */
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

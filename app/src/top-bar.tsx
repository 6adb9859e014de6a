import { useState } from "preact/hooks";
import { ButtonWithFocusFallback } from "./components/button.tsx";
import { useScrollToCurrentEntry } from "./components/scroll-to-current-entry.ts";
import { confirmLosingUnsavedEdits } from "./components/unsaved.ts";
import { NotificationBell } from "./notifications/bell.tsx";
import { screenHref } from "./routes.ts";
import { platformName } from "./service.ts";
import {
  type CurrentUser,
  canSeeAdministration,
  canSeeReports,
  hasStaffRole,
  isInstructorBeyondOneCourse,
  signOut,
  startScreenRouteOf,
} from "./session.tsx";
import {
  currentLanguage,
  type Language,
  languageNames,
  saveAndApplyLanguage,
  type TextKey,
  t,
} from "./texts.ts";
import type { UniversityBranding } from "./university-branding.ts";

type TopBarProps = {
  person: CurrentUser | undefined;
  fragment: string;
  looks: UniversityBranding | undefined;
};

export function TopBar({ person, fragment, looks }: TopBarProps) {
  const first = fragment.replace(/^#\/?/, "").split(/[/?]/)[0] ?? "";
  const current = first === "authoring" ? "teaching" : first || (person ? startScreenRouteOf(person) : "");
  return (
    <header class="top">
      <a class="brand" href={screenHref()}>
        {looks?.logo_url ? <img class="logo" src={looks.logo_url} alt="" /> : <BrandMark />}
        <span>{looks?.name ?? platformName}</span>
      </a>
      {person && <Entries person={person} current={current} />}
      <div class="who">
        {person && <NotificationBell person={person.profile.id} isCurrent={current === "notifications"} />}
        <LanguageChoice />
        {person && (
          <>
            <a
              class="name"
              href={screenHref("account")}
              aria-current={current === "account" ? "page" : undefined}
            >
              {person.profile.avatar_url && <img class="avatar" src={person.profile.avatar_url} alt="" />}
              <span>{person.profile.full_name}</span>
            </a>
            <ButtonWithFocusFallback
              class="quiet"
              onClick={() => confirmLosingUnsavedEdits() && signOut(person)}
            >
              {t("sign.out")}
            </ButtonWithFocusFallback>
          </>
        )}
      </div>
    </header>
  );
}

type Entry = [screen: string, label: TextKey];

const ofLearners: Entry[] = [
  ["", "nav.home"],
  ["catalog", "nav.catalog"],
  ["flashcards", "nav.flashcards"],
  ["search", "search"],
  ["certificates", "nav.certificates"],
];
const ofLearningStaff: Entry[] = [["learning", "nav.home"], ...ofLearners.slice(1)];

/** The staff screens of the person, those of the highest role first. */
const staffEntries = (person: CurrentUser): Entry[] => [
  ...(canSeeAdministration(person) ? ([["administration", "nav.administration"]] as Entry[]) : []),
  ...(canSeeReports(person) ? ([["reports", "nav.reports"]] as Entry[]) : []),
  ["teaching", "nav.teaching"],
  ...(isInstructorBeyondOneCourse(person) ? ([["prompts", "nav.prompts"]] as Entry[]) : []),
];

function Entries({ person, current }: { person: CurrentUser; current: string }) {
  const bar = useScrollToCurrentEntry<HTMLElement>(current);
  const [toggled, toggle] = useState<boolean>();
  const isStaff = hasStaffRole(person);
  const isLearning = toggled ?? ofLearningStaff.some(([screen]) => screen === current);
  const links = (entries: Entry[]) =>
    entries.map(([screen, label]) => (
      <a
        key={screen}
        href={screenHref(...(screen ? [screen] : []))}
        aria-current={current === screen ? "page" : undefined}
      >
        {t(label)}
      </a>
    ));
  return (
    <nav ref={bar} aria-label={t("nav")}>
      {isStaff ? links(staffEntries(person)) : links(ofLearners)}
      {isStaff && (
        <ButtonWithFocusFallback class="quiet" aria-expanded={isLearning} onClick={() => toggle(!isLearning)}>
          {t("nav.learning")}
        </ButtonWithFocusFallback>
      )}
      {isStaff && isLearning && links(ofLearningStaff)}
    </nav>
  );
}

const BrandMark = () => (
  <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="var(--accent)" />
    <path d="M16 27V5" class="line" />
    <path d="M16 21C9 21 7 17 7 11c6 0 9 4 9 10c0-7 3-11 9-11c0 7-2 11-9 11" class="leaves" />
  </svg>
);

function LanguageChoice() {
  return (
    <select
      aria-label={t("language")}
      value={currentLanguage()}
      onChange={(event) => saveAndApplyLanguage(event.currentTarget.value as Language).catch(() => undefined)}
    >
      {Object.entries(languageNames).map(([tag, name]) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </select>
  );
}

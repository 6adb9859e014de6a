import { ScreenHeading } from "../components/heading.tsx";
import { TabBar } from "../components/tab-bar.tsx";
import { screenHref } from "../routes.ts";
import { isInstructorBeyondOneCourse, useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";

/** The heading, with a tab to all requests for those who triage them. */
export function FeatureRequestsHeadingAndTabs({ current }: { current: "" | "all" }) {
  const person = useCurrentUser();
  const tabs = [
    { part: "", href: screenHref("feature-requests"), label: t("requests.own") },
    { part: "all", href: screenHref("feature-requests", "all"), label: t("requests.all") },
  ];
  return (
    <>
      <ScreenHeading title={t("requests")} />
      {isInstructorBeyondOneCourse(person) && <TabBar tabs={tabs} current={current} />}
    </>
  );
}

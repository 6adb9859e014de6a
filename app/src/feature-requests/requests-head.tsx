import { Heading } from "../components/heading.tsx";
import { TabBar } from "../components/tab-bar.tsx";
import { to } from "../routes.ts";
import { isInstructor, usePerson } from "../session.tsx";
import { t } from "../texts.ts";

/** The heading, with a tab to all requests for those who triage them. */
export function RequestsHead({ current }: { current: "" | "all" }) {
  const person = usePerson();
  const tabs = [
    { part: "", href: to("feature-requests"), label: t("requests.own") },
    { part: "all", href: to("feature-requests", "all"), label: t("requests.all") },
  ];
  return (
    <>
      <Heading title={t("requests")} />
      {isInstructor(person) && <TabBar tabs={tabs} current={current} />}
    </>
  );
}

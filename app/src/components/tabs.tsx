import { useAuthorship } from "../authorship.ts";
import { to } from "../routes.ts";
import { type Text, t } from "../texts.ts";
import { TabBar } from "./tab-bar.tsx";

/** Whether people are in an offering to learn or to teach. */
export type Side = "courses" | "teaching";

/** What is for those alone who may write courses. */
const ofAuthors = new Set(["grading"]);

const parts: Record<Side, [string, Text][]> = {
  courses: [
    ["", "tab.outline"],
    ["grades", "tab.grades"],
    ["discussions", "tab.discussions"],
    ["announcements", "tab.announcements"],
  ],
  teaching: [
    ["", "tab.class"],
    ["submissions", "tab.submissions"],
    ["gradebook", "tab.gradebook"],
    ["grading", "tab.grading"],
    ["certificates", "tab.certificates"],
    ["announcements", "tab.announcements"],
    ["discussions", "tab.discussions"],
    ["tutor", "tab.tutor"],
    ["moderation", "tab.moderation"],
  ],
};

type TabsProps = { course: string; offering: string; side: Side; current: string };

/** The parts of an offering. */
export function Tabs({ course, offering, side, current }: TabsProps) {
  const isAuthor = useAuthorship(course);
  const tabs = parts[side]
    .filter(([part]) => isAuthor || !ofAuthors.has(part))
    .map(([part, label]) => ({
      part,
      href: to(side, course, offering, ...(part ? [part] : [])),
      label: t(label),
    }));
  return <TabBar tabs={tabs} current={current} />;
}

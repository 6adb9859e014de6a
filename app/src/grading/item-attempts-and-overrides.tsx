import { dataOf, type Schemas } from "learning-platform-client";
import { ScreenHeading } from "../components/heading.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { AnonymousGradesTable } from "./anonymous-grades.tsx";
import { QuizAttemptsList } from "./attempts.tsx";
import { ClassAccommodationsList } from "./class-accommodations.tsx";
import { ItemOverridesEditor } from "./item-overrides.tsx";
import { ScormAttemptsList } from "./scorm-attempts.tsx";

type ItemProps = { course: string; offering: string; item: string };

export function ItemAttemptsAndOverridesScreen({ course, offering, item }: ItemProps) {
  const query = useQuery(
    (signal) => dataOf(apiClient.getContent({ params: { path: { content_id: Number(item) } }, signal })),
    [item],
  );
  return (
    <>
      <BackLink route={["teaching", course, offering, "gradebook"]}>{t("gradebook")}</BackLink>
      <QueryBoundary of={query}>
        {(found) => <GradedItem item={found} course={course} offering={offering} />}
      </QueryBoundary>
    </>
  );
}

type GradedItemProps = { item: Schemas["ContentItem"]; course: string; offering: string };

function GradedItem({ item, course, offering }: GradedItemProps) {
  const kind = item.content_type.name;
  const isQuiz = kind === "quiz";
  return (
    <>
      <ScreenHeading title={item.title} />
      {isQuiz && <QuizAttemptsList course={course} offering={offering} item={item.id} />}
      {kind === "scorm" && <ScormAttemptsList offering={Number(offering)} item={item.id} />}
      {item.data_json["anonymous"] === true && (
        <AnonymousGradesTable offering={Number(offering)} item={item.id} />
      )}
      <ClassAccommodationsList offering={offering} />
      {kind !== "scorm" && (
        <ItemOverridesEditor course={course} offering={offering} item={item.id} isQuiz={isQuiz} />
      )}
    </>
  );
}

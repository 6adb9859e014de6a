import { dataOf, type Schemas } from "learning-platform-client";
import { Heading } from "../components/heading.tsx";
import { Back } from "../components/offering-screen.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import { Attempts } from "./attempts.tsx";
import { AnonymousGrades } from "./anonymous-grades.tsx";
import { ItemExceptions } from "./exceptions.tsx";
import { ClassAccommodations } from "./class-accommodations.tsx";

type ItemProps = { course: string; offering: string; item: string };

export function GradedItemScreen({ course, offering, item }: ItemProps) {
  const query = useQuery(
    (signal) => dataOf(api.getContent({ params: { path: { content_id: Number(item) } }, signal })),
    [item],
  );
  return (
    <>
      <Back route={["teaching", course, offering, "gradebook"]}>{t("gradebook")}</Back>
      <QueryBoundary of={query}>
        {(found) => <GradedItem item={found} course={course} offering={offering} />}
      </QueryBoundary>
    </>
  );
}

type GradedItemProps = { item: Schemas["ContentItem"]; course: string; offering: string };

function GradedItem({ item, course, offering }: GradedItemProps) {
  const isQuiz = item.content_type.name === "quiz";
  return (
    <>
      <Heading title={item.title} />
      {isQuiz && <Attempts course={course} offering={offering} item={item.id} />}
      {item.data_json["anonymous"] === true && <AnonymousGrades offering={Number(offering)} item={item.id} />}
      <ClassAccommodations offering={offering} />
      <ItemExceptions course={course} offering={offering} item={item.id} isQuiz={isQuiz} />
    </>
  );
}

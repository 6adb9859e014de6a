import { OfferingTabLayout } from "../components/offering-tab-layout.tsx";
import { screenHref } from "../routes.ts";
import { t } from "../texts.ts";
import { EnrollOneByEmailForm } from "./enroll-one.tsx";
import { EnrollPastedListForm } from "./enroll-pasted-list.tsx";

type EnrollScreenProps = { course: string; offering: string };

/** Enrolls learners in an offering: a pasted list, a CSV file, or one person. */
export const EnrollLearnersScreen = ({ course, offering }: EnrollScreenProps) => (
  <OfferingTabLayout course={course} offering={offering} side="teaching" part="" title={t("enroll.learners")}>
    <a class="back" href={screenHref("teaching", course, offering)}>
      ← {t("back.to.class")}
    </a>
    <EnrollPastedListForm path={{ course_id: Number(course), offering_id: Number(offering) }} />
    <EnrollOneByEmailForm offering={Number(offering)} />
  </OfferingTabLayout>
);

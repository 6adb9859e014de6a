import { OfferingScreen } from "../components/offering-screen.tsx";
import { screenHref } from "../routes.ts";
import { t } from "../texts.ts";
import { EnrollLearnersForm } from "./enroll.tsx";
import { EnrollClass } from "./enroll-class.tsx";

type EnrollScreenProps = { course: string; offering: string };

/** Enrolls learners in an offering: a pasted list, a CSV file, or one person. */
export const EnrollScreen = ({ course, offering }: EnrollScreenProps) => (
  <OfferingScreen course={course} offering={offering} side="teaching" part="" title={t("enroll.learners")}>
    <a class="back" href={screenHref("teaching", course, offering)}>
      ← {t("back.to.class")}
    </a>
    <EnrollClass path={{ course_id: Number(course), offering_id: Number(offering) }} />
    <EnrollLearnersForm offering={Number(offering)} />
  </OfferingScreen>
);

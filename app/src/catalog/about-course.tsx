import { dataOf, type Schemas } from "learning-platform-client";
import styles from "../../styles/later/catalog.css";
import { adoptStyles } from "../adopt-styles.ts";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { CourseLevelLanguageAndCredits } from "./course-facts.tsx";
import { CoursePicture } from "./course-picture.tsx";

adoptStyles(styles);

const maxListedCourseModules = 100;

export function AboutCourse({ course }: { course: number }) {
  const path = { course_id: course };
  const query = { limit: maxListedCourseModules };
  const read = useQuery(
    (signal) =>
      Promise.all([
        dataOf(apiClient.getCourse({ params: { path }, signal })),
        dataOf(apiClient.listCourseModules({ params: { path, query }, signal })),
      ]),
    [course],
  );
  return (
    <QueryBoundary of={read}>
      {([found, modules]) => <About course={found} modules={modules} />}
    </QueryBoundary>
  );
}

type AboutProps = { course: Schemas["Course"]; modules: Schemas["CourseModule"][] };

function About({ course, modules }: AboutProps) {
  const { picture_file_id, description, language_code, subjects } = course;
  const described = modules.filter((one) => one.description);
  return (
    <div class="about-course">
      {picture_file_id !== null && <CoursePicture id={picture_file_id} />}
      {description && <MarkdownWithFormulas source={description} lang={language_code} byStaff />}
      <CourseLevelLanguageAndCredits {...course} />
      {subjects.length > 0 && (
        <p class="quiet">{t("about.subjects", { subjects: subjects.map(({ name }) => name).join(", ") })}</p>
      )}
      {described.length > 0 && (
        <>
          <h2>{t("about.modules")}</h2>
          <ul class="lines">
            {described.map(({ id, title, description: words }) => (
              <li key={id} class="module-about">
                <div>
                  <strong lang={language_code}>{title}</strong>
                  <MarkdownWithFormulas source={words ?? ""} lang={language_code} byStaff />
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

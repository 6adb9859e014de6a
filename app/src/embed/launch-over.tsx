import { Heading } from "../components/heading.tsx";
import { t } from "../texts.ts";

/** The page of a launch that is over: only the LMS begins another. */
export const LaunchOverScreen = () => (
  <>
    <Heading title={t("lti.over")} />
    <p>{t("lti.over.again")}</p>
  </>
);

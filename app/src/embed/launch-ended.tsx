import { ScreenHeading } from "../components/heading.tsx";
import { t } from "../texts.ts";

/** Shown after a launch has ended. A new one starts in the LMS. */
export const LtiLaunchEndedScreen = () => (
  <>
    <ScreenHeading title={t("lti.over")} />
    <p>{t("lti.over.again")}</p>
  </>
);

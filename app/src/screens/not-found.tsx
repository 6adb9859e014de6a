import { ScreenHeading } from "../components/heading.tsx";
import { screenHref } from "../routes.ts";
import { t } from "../texts.ts";

export function NotFoundScreen() {
  return (
    <>
      <ScreenHeading title={t("not.found")} />
      <p>
        <a href={screenHref()}>{t("not.found.home")}</a>
      </p>
    </>
  );
}

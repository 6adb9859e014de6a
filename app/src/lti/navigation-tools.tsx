import { allOf } from "learning-platform-client";
import { useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type NavigationToolsProps = { course: string; offering: string; saysEmpty?: boolean };

/** Links to the tools in the navigation of an offering. */
export function NavigationToolLinks({ course, offering, saysEmpty = false }: NavigationToolsProps) {
  const params = { path: { offering_id: Number(offering) } };
  const tools = useQuery((signal) => allOf(apiClient.listNavigationLtiTools, { params, signal }), [offering]);
  if (!tools.value) return null;
  if (tools.value.length === 0) return saysEmpty ? <p>{t("tools.empty")}</p> : null;
  return (
    <nav class="row" aria-label={t("tools")}>
      {tools.value.map(({ id, name }) => (
        <a key={id} href={screenHref("courses", course, offering, "tools", id)}>
          {name}
        </a>
      ))}
    </nav>
  );
}

import { dataOf, PlatformError } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { saveAs } from "../components/save-as.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type ExportQuestionsProps = { pool: number };

/** Saves the questions with their pictures as QTI packages. */
export const ExportQuestionsAsQtiButton = ({ pool }: ExportQuestionsProps) => (
  <ActionButton class="quiet" run={() => savePackages(pool)}>
    {t("questions.export")}
  </ActionButton>
);

/** As many as a page may have. */
const maxQuestionsPerExportPage = 100;

/** Large pictures make several smaller packages. */
async function savePackages(question_pool_id: number): Promise<void> {
  let limit = maxQuestionsPerExportPage;
  for (let skip = 0, total = 1; skip < total; ) {
    const params = { path: { question_pool_id }, query: { skip, limit } };
    try {
      const page = await dataOf(apiClient.exportQuestionPoolAsQti({ params }));
      const bytes = Uint8Array.from(atob(page.package), (sign) => sign.charCodeAt(0));
      saveAs(`questions-${skip + 1}.zip`, new Blob([bytes], { type: "application/zip" }));
      skip += limit;
      total = page.total;
    } catch (error) {
      if (!isTooLarge(error) || limit === 1) throw error;
      limit = Math.ceil(limit / 2);
    }
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof PlatformError && error.code === "export_pictures_too_large";

import { formatToOneDecimal } from "../format.ts";
import { t } from "../texts.ts";

type ReasonsProps = {
  of: {
    score: number | null;
    late_days?: number | null;
    late_deduction?: number | null;
    is_dropped?: boolean;
  };
};

/** How a score was computed: points before lateness, the late penalty, and whether it is dropped. */
export const LateAndDroppedNotes = ({
  of: { score, late_days, late_deduction, is_dropped },
}: ReasonsProps) => (
  <>
    {score !== null && late_days && late_deduction ? (
      <small>
        {t("grades.late", {
          days: late_days,
          before: formatToOneDecimal(score + late_deduction),
          deduction: formatToOneDecimal(late_deduction),
        })}
      </small>
    ) : null}
    {is_dropped && <small>{t("grades.dropped")}</small>}
  </>
);

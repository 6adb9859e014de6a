import { formatToOneDecimal } from "../format.ts";
import { t } from "../texts.ts";

/** A rating from 1 to 5, with a text alternative. */
export const StarRating = ({ rating }: { rating: number }) => (
  <span class="stars" role="img" aria-label={t("reviews.stars", { n: formatToOneDecimal(rating) })}>
    <span aria-hidden="true" class="given">
      {"★".repeat(Math.round(rating))}
    </span>
    <span aria-hidden="true">{"★".repeat(5 - Math.round(rating))}</span>
  </span>
);

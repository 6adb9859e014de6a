/** What this product is called, where an operator calls it nothing else (`APP_NAME`). */
export const productName = "Ramavia";

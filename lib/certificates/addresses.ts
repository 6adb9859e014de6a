/** Where the API is reached from everywhere, such as `https://learn.example.edu/api/v1`. */
export type Addresses = { api: string };

const own = ({ api }: Addresses): string => `${api}/assessments/certificates`;

/** Where a certificate is verified: a part is `page`, `pdf` or `credential`. */
export const certificateAddress = (addresses: Addresses, code: string, part: string): string =>
  `${own(addresses)}/verify/${encodeURIComponent(code)}/${part}`;

/** Where the public key is with which something was signed; keys are named by it. */
export const keyAddress = (addresses: Addresses, id: string): string => `${own(addresses)}/keys/${id}`;

/** Where the list is that says which of its certificates were withdrawn. */
export const statusListAddress = (addresses: Addresses, list: number): string =>
  `${own(addresses)}/status/${list}`;

export const universityAddress = ({ api }: Addresses, id: number): string => `${api}/universities/${id}`;

export const courseAddress = ({ api }: Addresses, id: number): string => `${api}/courses/${id}`;

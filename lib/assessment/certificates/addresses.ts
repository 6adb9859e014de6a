/** The API's public URL, such as `https://learn.example.edu/api/v1`. */
export type Addresses = { api: string };

const own = ({ api }: Addresses): string => `${api}/assessments/certificates`;

export const certificateAddress = (addresses: Addresses, code: string, part: string): string =>
  `${own(addresses)}/verify/${encodeURIComponent(code)}/${part}`;

/** The URL is the key's id too. */
export const keyAddress = (addresses: Addresses, id: string): string => `${own(addresses)}/keys/${id}`;

export const statusListAddress = (addresses: Addresses, list: number): string =>
  `${own(addresses)}/status/${list}`;

export const universityAddress = ({ api }: Addresses, id: number): string => `${api}/universities/${id}`;

export const courseAddress = ({ api }: Addresses, id: number): string => `${api}/courses/${id}`;

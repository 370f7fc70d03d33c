/** For example "1 site" or "2 sites". */
export const count = (number: number, noun: string) =>
	`${number} ${noun}${number === 1 ? '' : 's'}`;

export const megabytes = (kilobytes: number) => `${Math.round(kilobytes / 1024)} MB`;

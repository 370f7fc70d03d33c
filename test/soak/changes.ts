import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { Service } from '../fake-service/service';
import type { Site, Unit } from '../fake-service/sites';

/** A number from 0 up to, but not, 1. */
export type Random = () => number;

/** Numbers that are the same for the same seed and name, however many others are drawn meanwhile. */
export function randomFrom(seed: number, name: string): Random {
	let drawn = 0;
	return () =>
		createHash('sha256').update(`${seed} ${name} ${drawn++}`).digest().readUInt32BE() / 2 ** 32;
}

export const pick = <T>(list: readonly T[], random: Random): T =>
	list[Math.floor(random() * list.length)]!;

/** A change of one site or one unit, and what became of it. */
export interface Change {
	/** What the trigger has to tell, as `textOf()` has it. */
	text: string;
	/** The site or the unit that it is about. */
	subject: string;
	/** Milliseconds since 1970. */
	madeAt: number;
	/** How often the trigger has told it. */
	told: number;
	/** When the trigger noticed it for the first time, in milliseconds since 1970. */
	detectedAt?: number;
	/** It was made, or told, so shortly before n8n was killed that n8n may not have written that down. */
	aroundKill: boolean;
}

/** A change that was told so long before a kill is clear of it, in milliseconds: n8n has written down that it was. */
const WRITTEN_AFTER = 5000;

/** So is one that was made so long before: it had been told, or was lost for another reason. */
const TOLD_AFTER = 30_000;

const degrees = (value: number) => Number(value.toFixed(6));

/** By field. */
type Values = Record<string, [before: unknown, after: unknown]>;

function textOf(event: string, siteId: unknown, unitId: unknown, values: Values): string {
	const fields = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
	return JSON.stringify([event, siteId, unitId ?? null, fields]);
}

/** Random changes of a stand-in's sites, beside what the trigger has told of them. */
export class Changes {
	readonly made: Change[] = [];

	/** Events that tell of no change that was made. */
	readonly invented: string[] = [];

	/** Each site in every state that it ever had, oldest first. */
	private readonly states = new Map<number, Site[]>();

	private readonly byText = new Map<string, Change>();

	private readonly untoldSubjects = new Set<string>();

	private counter = 0;

	constructor(
		private readonly service: Service,
		private readonly random: Random,
	) {
		for (const site of service.sites) this.states.set(site.siteId, [structuredClone(site)]);
	}

	/** How many states each site has had so far. */
	get now(): Map<number, number> {
		return new Map([...this.states].map(([siteId, states]) => [siteId, states.length]));
	}

	/** The states that a site had from a moment (an earlier `now`) on. */
	statesSince(siteId: number, moment: Map<number, number>): Site[] {
		return this.states.get(siteId)!.slice(moment.get(siteId)! - 1);
	}

	get untold(): Change[] {
		return this.made.filter(({ told }) => told === 0);
	}

	/** Changes one site. What has an untold change stays as it is: two changes in one poll are told as one. */
	make(): void {
		const site = pick(this.service.sites, this.random);
		const unit = pick(site.units, this.random);
		const number = ++this.counter;
		pick(
			[
				() => this.changeUnit(site, unit, { unitName: `Renamed ${number}` }),
				() =>
					this.changeUnit(site, unit, {
						latitude: degrees(unit.latitude! + number / 10_000),
						longitude: degrees(unit.longitude! - number / 10_000),
					}),
				() => this.addUnit(site, { ...unit, unitId: 900_000 + number, unitName: `New ${number}` }),
				() => site.units.length > 2 && this.removeUnit(site, unit),
				() => this.changeSite(site, site.info, 'license', 'info.license', `SAMPLE-${number}`),
				() => this.changeSite(site, site, 'siteName', 'siteName', `Renamed ${number}`),
				// Not to be told
				() => site.units.reverse(),
			],
			this.random,
		)();
		this.states.get(site.siteId)!.push(structuredClone(site));
	}

	/** Takes in an event as the trigger has emitted it. */
	tell({ event, siteId, unitId, changes, detectedAt }: IDataObject): void {
		const fields = changes as Array<{ field: string; before: unknown; after: unknown }>;
		const values = fields.map(({ field, before, after }) => [field, [before, after]]);
		const text = textOf(event as string, siteId, unitId, Object.fromEntries(values) as Values);
		const change = this.byText.get(text);
		if (!change) {
			this.invented.push(text);
			return;
		}
		change.told += 1;
		change.detectedAt ??= Date.parse(detectedAt as string);
		this.untoldSubjects.delete(change.subject);
	}

	/** To be called when n8n is killed. */
	noteKill(): void {
		const now = Date.now();
		for (const change of this.made) {
			const { told, madeAt, detectedAt = 0 } = change;
			const mayBeLost = told === 0 && madeAt > now - TOLD_AFTER;
			const mayBeToldTwice = told > 0 && detectedAt > now - WRITTEN_AFTER;
			if (mayBeLost || mayBeToldTwice) change.aroundKill = true;
		}
	}

	private changeUnit(site: Site, unit: Unit, fields: Partial<Unit>): void {
		const subject = `unit ${unit.unitId}`;
		if (this.untoldSubjects.has(subject)) return;
		const values: Values = {};
		for (const [field, after] of Object.entries(fields)) values[field] = [unit[field], after];
		Object.assign(unit, fields);
		this.note(subject, textOf('unitChanged', site.siteId, unit.unitId, values));
	}

	private addUnit(site: Site, unit: Unit): void {
		site.units.push(unit);
		this.note(`unit ${unit.unitId}`, textOf('unitAdded', site.siteId, unit.unitId, {}));
	}

	private removeUnit(site: Site, unit: Unit): void {
		const subject = `unit ${unit.unitId}`;
		if (this.untoldSubjects.has(subject)) return;
		site.units.splice(site.units.indexOf(unit), 1);
		this.note(subject, textOf('unitRemoved', site.siteId, unit.unitId, {}));
	}

	private changeSite(
		site: Site,
		object: Record<string, unknown>,
		key: string,
		field: string,
		after: string,
	): void {
		const subject = `site ${site.siteId}`;
		if (this.untoldSubjects.has(subject)) return;
		const values: Values = { [field]: [object[key], after] };
		object[key] = after;
		this.note(subject, textOf('siteChanged', site.siteId, undefined, values));
	}

	private note(subject: string, text: string): void {
		const change = { text, subject, madeAt: Date.now(), told: 0, aroundKill: false };
		this.made.push(change);
		this.byText.set(text, change);
		this.untoldSubjects.add(subject);
	}
}

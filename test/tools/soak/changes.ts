import type { IDataObject } from 'n8n-workflow';
import { degrees, type Site, type Unit } from '../fake-service/sites';
import { at, defined } from '../helpers/at';
import { pick, type Random } from './random';
import { isOfAbsence, isVisitor, nextReturn } from './visitors';

/** A change of one site or one unit, and what became of it. */
export interface Change {
	/** What the trigger must report, in the form of `textOf()`. */
	text: string;
	/** The site or the unit. */
	subject: string;
	siteId: number;
	/** Milliseconds since 1970. */
	madeAt: number;
	/** How many times each of the triggers has reported it. */
	reports: number[];
	/** When a trigger first noticed it, in milliseconds since 1970. */
	detectedAt?: number;
	/** It was made, or reported, so shortly before a kill that n8n may not have saved that. */
	aroundKill: boolean;
}

/** A report that is older than this at a kill has been saved. */
const SAVED_AFTER_MS = 5000;

/** A change that is older than this at a kill has been reported, or was lost for another reason. */
const REPORTED_AFTER_MS = 30_000;

/** By field. */
type Values = Record<string, readonly [before: unknown, after: unknown]>;

/** A site, or one of its units. */
type Subject = [site: Site, unit?: Unit];

function textOf(event: string, siteId: unknown, unitId: unknown, values: Values): string {
	const fields = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
	return JSON.stringify([event, siteId, unitId ?? null, fields]);
}

/** Random changes of a fake service's sites, beside what the trigger has reported of them. */
export class Changes {
	readonly made: Change[] = [];

	/** Events that report no change that was made. */
	readonly invented: string[] = [];

	/** Changes of a site that was off the list of the last trigger, which that has reported when it was back. */
	readonly ofAbsence: string[] = [];

	private killedAt = 0;

	/** The sites in every state that they ever had, oldest first. */
	readonly states: Site[];

	private counter = 0;

	constructor(
		private readonly sites: Site[],
		private readonly random: Random,
		private readonly triggers: number,
	) {
		this.states = structuredClone(sites);
	}

	/** The states that a site has had since there were so many states of all; none of a site that does not exist. */
	statesSince(siteId: number, known: number): Site[] {
		const own = (states: Site[]) => states.filter((state) => state.siteId === siteId);
		return [...own(this.states.slice(0, known)).slice(-1), ...own(this.states.slice(known))];
	}

	/** What a trigger must still report. Of the sites that come and go, the last trigger need not report each change. */
	get unreported(): Change[] {
		return this.made.filter(({ reports, siteId }) =>
			(isVisitor(siteId) ? reports.slice(0, -1) : reports).includes(0),
		);
	}

	/** Changes one site. What has an unreported change stays as it is: two changes in one poll are reported as one. */
	make(): void {
		const site = pick(this.sites, this.random);
		const unit = pick(site.units, this.random);
		const number = ++this.counter;
		const added = { ...unit, unitId: 900_000 + number, unitName: `New ${number}` };
		const moved = {
			latitude: degrees(defined(unit.latitude) + number / 10_000),
			longitude: degrees(defined(unit.longitude) - number / 10_000),
		};
		pick(
			[
				() => this.edit('unitChanged', [site, unit], unit, { unitName: `Renamed ${number}` }),
				() => this.edit('unitChanged', [site, unit], unit, moved),
				() => this.note('unitAdded', [site, added]) && site.units.push(added),
				() =>
					site.units.length > 2 &&
					this.note('unitRemoved', [site, unit]) &&
					site.units.splice(site.units.indexOf(unit), 1),
				() => this.edit('siteChanged', [site], site, { siteName: `Renamed ${number}` }),
				() => this.edit('siteChanged', [site], site.info, { license: `SAMPLE-${number}` }, 'info.'),
				// Must not be reported
				() => site.units.reverse(),
			],
			this.random,
		)();
		this.states.push(structuredClone(site));
	}

	/** Takes in an event of one of the triggers, counted from 0. */
	report(trigger: number, { event, siteId, unitId, changes, detectedAt }: IDataObject): void {
		const fields = changes as Array<{ field: string; before: unknown; after: unknown }>;
		const values = fields.map(({ field, before, after }) => [field, [before, after]] as const);
		const text = textOf(event as string, siteId, unitId, Object.fromEntries(values));
		const change = this.made.find((candidate) => candidate.text === text);
		if (!change) {
			this.invented.push(text);
			return;
		}
		change.reports[trigger] = at(change.reports, trigger) + 1;
		const seenAt = Date.parse(detectedAt as string);
		change.detectedAt ??= seenAt;
		const isLast = trigger === this.triggers - 1;
		// After a kill, n8n has what it saved last
		if (!isLast || !isVisitor(siteId) || this.killedAt > change.madeAt) return;
		if (isOfAbsence(change.madeAt, seenAt)) this.ofAbsence.push(text);
	}

	/** Must be called when n8n is killed. */
	noteKill(): void {
		const now = Date.now();
		this.killedAt = now;
		for (const change of this.made) {
			const { reports, madeAt, detectedAt = 0 } = change;
			const mayBeLost = reports.includes(0) && madeAt > now - REPORTED_AFTER_MS;
			const mayBeReportedTwice = Math.max(...reports) > 0 && detectedAt > now - SAVED_AFTER_MS;
			if (mayBeLost || mayBeReportedTwice) change.aroundKill = true;
		}
	}

	private edit(
		event: string,
		subject: Subject,
		object: Record<string, unknown>,
		fields: Record<string, unknown>,
		prefix = '',
	): void {
		const values = Object.entries(fields).map(
			([field, after]) => [prefix + field, [object[field], after]] as const,
		);
		if (this.note(event, subject, Object.fromEntries(values))) Object.assign(object, fields);
	}

	/** Notes a change that is about to be made; false when an earlier one of its subject is unreported. */
	private note(event: string, [site, unit]: Subject, values: Values = {}): boolean {
		const subject = unit ? `unit ${unit.unitId}` : `site ${site.siteId}`;
		const now = Date.now();
		const mayBeReported = ({ reports, madeAt }: Change) =>
			reports.includes(0) && now < nextReturn(madeAt);
		const open = [...this.unreported, ...this.made.filter(mayBeReported)];
		if (open.some((change) => change.subject === subject)) return false;
		const text = textOf(event, site.siteId, unit?.unitId, values);
		this.made.push({
			text,
			subject,
			siteId: site.siteId,
			madeAt: now,
			reports: Array<number>(this.triggers).fill(0),
			aroundKill: false,
		});
		return true;
	}
}

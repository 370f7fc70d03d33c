import { randomUUID } from 'crypto';
import { deepCopy, NodeConnectionTypes } from 'n8n-workflow';
import type {
	IDataObject,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';

import { toNodeError } from './nodeErrors';
import { testCredential } from './service/credentialTest';
import { ServiceFailure } from './service/failures';
import { CREDENTIAL } from './service/request';
import { SiteService } from './service/SiteService';
import { SITE_PARTS } from './site/site';
import type { Site } from './site/site';
import { compareWithBaseline } from './trigger/baseline';
import type { Baseline } from './trigger/baseline';
import { sampleEvents } from './trigger/changes';
import type { SiteEvent } from './trigger/changes';
import { parseSettings, triggerFields } from './trigger/fields';
import type { Settings } from './trigger/fields';

// n8n ends a poll after 45 seconds: these leave it time to say what went wrong
const POLL_LIMITS = { maxConcurrency: 16, longestWait: 5000 };
const POLL_REQUEST = { parts: SITE_PARTS, timeout: 10_000, maxRetries: 1 };

/** Differs from one start of n8n to the next. */
const PROCESS_ID = randomUUID();

/** Reads all sites side by side; a site that could not be read stands as its failure. */
async function readSites(
	service: SiteService,
	{ siteIds, apiVersion }: Settings,
): Promise<Map<string, Site | ServiceFailure>> {
	const entries = await Promise.all(
		siteIds.map(async (siteId) => {
			const result = await service
				.read({ siteId, apiVersion, ...POLL_REQUEST })
				.then(({ body }) => body)
				.catch((error: unknown) => {
					if (error instanceof ServiceFailure) return error;
					throw error;
				});
			return [siteId, result] as const;
		}),
	);
	return new Map(entries);
}

function toItems(events: SiteEvent[]): INodeExecutionData[] {
	return events.map((event) => ({ json: deepCopy(event) as unknown as IDataObject }));
}

export class AquacultureSiteTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Aquaculture Site Trigger',
		name: 'aquacultureSiteTrigger',
		icon: {
			light: 'file:../../icons/aquaculture.svg',
			dark: 'file:../../icons/aquaculture.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: '={{ "sites " + $parameter["siteIds"] }}',
		// n8n's node list shows this one for the site node too
		description:
			'Read aquaculture sites (sea farms) and their units, or start the workflow when they change',
		defaults: { name: 'Aquaculture Site Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true, testedBy: 'testCredential' }],
		properties: triggerFields,
	};

	methods = { credentialTest: { testCredential } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		try {
			const events = await pollSites(this);
			return events.length > 0 ? [toItems(events)] : null;
		} catch (error) {
			throw toNodeError(this.getNode(), error);
		}
	}
}

/** @throws ParameterError, ServiceFailure, or n8n's own error */
async function pollSites(context: IPollFunctions): Promise<SiteEvent[]> {
	const settings = parseSettings((name, fallback) => context.getNodeParameter(name, fallback));
	const service = await SiteService.open(context, POLL_LIMITS);
	const baseline = context.getWorkflowStaticData('node') as unknown as Partial<Baseline>;
	const sitesAtStart = baseline.sites;
	const results = await readSites(service, settings);
	const detectedAt = new Date().toISOString();

	if (context.getMode() === 'manual') {
		const all = [...results.values()];
		const site = all.find((result): result is Site => !(result instanceof Error));
		if (!site) throw all[0] as ServiceFailure;
		return sampleEvents(site, settings.events, detectedAt);
	}

	// From here on nothing waits, so that two polls at once cannot report the same twice. Where another one
	// was faster, what this one has read may be older.
	if (baseline.sites !== sitesAtStart) return [];
	const source = `${service.url} ${settings.apiVersion}`;
	const result = compareWithBaseline(
		baseline,
		{ source, processId: PROCESS_ID, detectedAt, results },
		settings,
	);
	Object.assign(baseline, result.baseline);
	for (const [siteId, { message, description }] of result.unread) {
		context.logger.warn(`Aquaculture Site Trigger: site ${siteId} was not read: ${message}`, {
			description,
		});
	}
	if (result.failure) throw result.failure;
	return result.events;
}

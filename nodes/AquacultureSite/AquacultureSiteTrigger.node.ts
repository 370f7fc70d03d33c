import { deepCopy, NodeConnectionTypes } from 'n8n-workflow';
import type {
	IDataObject,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';

import { toNodeError } from './nodeErrors';
import { SiteService } from './run/SiteService';
import { testCredential } from './service/http/credentialTest';
import { CREDENTIAL } from './service/http/request';
import type { SiteEvent } from './trigger/events';
import { checkIgnoredFields, parseSettings, triggerFields } from './trigger/fields';
import { concludePoll } from './trigger/poll';
import { readFirstSite, readSites } from './trigger/reading';
import { sampleEvents } from './trigger/samples';
import { activate, oneAtATime, pollReasonOf } from './trigger/scheduling';
import type { PollReason } from './trigger/scheduling';
import { readOrder, readState } from './trigger/state';
import { Parameters } from './utils/parameters';

// A wait that is longer ends the poll: what is left is read in the next one
const LIMITS = { maxConcurrency: 128, longestWait: 30_000 };

const FIRST_POLL =
	'The first poll after publishing only remembers the sites. From then on, each change starts the workflow.';

const WHILE_BUILDING =
	'<b>While you build the workflow</b>, click the button. It returns a test event of each kind that is selected under <b>Events</b>, based on the first site in <b>Site IDs</b>. No real change occurred.<br><br>';

// What is below the button, and its help "When will this node trigger my flow?"
const TRIGGER_PANEL: INodeTypeDescription['triggerPanel'] = {
	header: '',
	executionsHelp: {
		inactive: `${WHILE_BUILDING}<b>Once the workflow is published</b>, n8n polls the sites at the times under <b>Poll Times</b>. ${FIRST_POLL}`,
		active: `${WHILE_BUILDING}<b>While the workflow is published</b>, n8n polls the sites at the times under <b>Poll Times</b>, and each change starts the workflow. These executions do not show here, but you can find them in the list of executions.`,
	},
	activationHint: {
		inactive: `Once the workflow is published, n8n polls the sites at the times under <b>Poll Times</b>. ${FIRST_POLL}`,
		active: 'The workflow is published: each change of a site starts it.',
	},
};

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
		// The link of the codex would lose its section: n8n appends parameters to it
		documentationUrl:
			'https://github.com/n8n-nodes-aquaculture/n8n-nodes-aquaculture#use-the-trigger',
		defaults: { name: 'Aquaculture Site Trigger' },
		polling: true,
		triggerPanel: TRIGGER_PANEL,
		activationMessage: FIRST_POLL,
		hints: [
			{
				type: 'info',
				// In a test and in the execution of a published workflow alike
				whenToDisplay: 'always',
				location: 'outputPane',
				message:
					"Test events are based on the first site in 'Site IDs'. The events of a published workflow are real.",
			},
		],
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true, testedBy: 'testCredential' }],
		properties: triggerFields,
	};

	methods = { credentialTest: { testCredential } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		try {
			const reason = pollReasonOf(this);
			const events = reason === 'test' ? await sampleOf(this) : await pollSites(this, reason);
			return events.length > 0 ? [toItems(events)] : null;
		} catch (error) {
			throw toNodeError(this.getNode(), error);
		}
	}
}

function settingsOf(context: IPollFunctions) {
	return parseSettings(
		new Parameters((name, fallback) => context.getNodeParameter(name, fallback)),
	);
}

/** What "Fetch Test Event" shows. */
async function sampleOf(context: IPollFunctions): Promise<SiteEvent[]> {
	const settings = settingsOf(context);
	const { siteIds, apiVersion, events } = settings;
	const service = await SiteService.open(context, LIMITS);
	const site = await readFirstSite(service, siteIds, apiVersion);
	return sampleEvents(site, events, settings, new Date().toISOString());
}

/** @throws ParameterError, ServiceFailure, or n8n's own error */
async function pollSites(context: IPollFunctions, reason: PollReason): Promise<SiteEvent[]> {
	const staticData = context.getWorkflowStaticData('node');
	return await oneAtATime(staticData, async () => {
		const poll = async () => await findChanges(context, reason);
		return await (reason === 'activation' ? activate(staticData, poll) : poll());
	});
}

async function findChanges(context: IPollFunctions, reason: PollReason): Promise<SiteEvent[]> {
	const settings = settingsOf(context);
	const { siteIds, apiVersion } = settings;
	const service = await SiteService.open(context, LIMITS);
	const staticData = context.getWorkflowStaticData('node');
	const old = readState(staticData, `${service.url} ${apiVersion}`, siteIds);
	const reading = await readSites(service, readOrder(old.sites), { reason, apiVersion });
	if (reason === 'activation') checkIgnoredFields(settings.ignoreFields, reading);
	const poll = { ...reading, reason, now: new Date() };
	const { state, events, unreadable, failure } = concludePoll(old, poll, settings);
	Object.assign(staticData, state);
	for (const { site, failure } of unreadable) {
		context.logger.warn(
			`Aquaculture Site Trigger: site ${site.siteId} was not read: ${failure.message}`,
			{ description: failure.description },
		);
	}
	if (failure) throw failure;
	return events;
}

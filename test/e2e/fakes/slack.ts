import type { Host } from './hosts';

interface SlackMessage {
	channel: string;
	text: string;
}

/** The part of Slack's Web API that sends a message (docs.slack.dev, "chat.postMessage"). */
export class Slack {
	/** Sample data. */
	readonly accessToken = 'xoxb-sample-token';

	/** What has been posted, oldest first. */
	readonly messages: SlackMessage[] = [];

	readonly host: Host = ({ method, path, headers, body }) => {
		// Slack responds with 200 even when it rejects the request.
		const respond = (json: object) => ({ status: 200, json });
		if (headers.authorization !== `Bearer ${this.accessToken}`) {
			return respond({ ok: false, error: 'invalid_auth' });
		}
		if (method !== 'POST' || path !== '/api/chat.postMessage') {
			return respond({ ok: false, error: 'unknown_method' });
		}
		const { channel, text } = body as SlackMessage;
		if (!channel) return respond({ ok: false, error: 'channel_not_found' });
		if (!text) return respond({ ok: false, error: 'no_text' });
		this.messages.push({ channel, text });
		return respond({ ok: true, channel, ts: `${this.messages.length}.000000`, message: { text } });
	};
}

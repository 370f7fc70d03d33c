import type { Host } from './hosts';

export interface SlackMessage {
	channel: string;
	text: string;
}

/** Slack's Web API as far as sending a message goes (docs.slack.dev, «chat.postMessage»). */
export class Slack {
	/** Invented. */
	readonly accessToken = 'xoxb-sample-token';

	/** What has been posted, oldest first. */
	readonly messages: SlackMessage[] = [];

	readonly host: Host = ({ method, path, headers, body }) => {
		// Slack answers 200 whatever it thinks of the request.
		const answer = (json: object) => ({ status: 200, json });
		if (headers.authorization !== `Bearer ${this.accessToken}`) {
			return answer({ ok: false, error: 'invalid_auth' });
		}
		if (method !== 'POST' || path !== '/api/chat.postMessage') {
			return answer({ ok: false, error: 'unknown_method' });
		}
		const { channel, text } = body as SlackMessage;
		if (!channel) return answer({ ok: false, error: 'channel_not_found' });
		if (!text) return answer({ ok: false, error: 'no_text' });
		this.messages.push({ channel, text });
		return answer({ ok: true, channel, ts: `${this.messages.length}.000000`, message: { text } });
	};
}

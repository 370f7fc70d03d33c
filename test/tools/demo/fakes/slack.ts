import type { Host } from '../../n8n/hosts';

interface SlackMessage {
	channel: string;
	text: string;
	/** Whether Slack requests the links in the text, to show a preview of them. */
	unfurls: boolean;
}

type PostMessage = Omit<SlackMessage, 'unfurls'> &
	Record<'unfurl_links' | 'unfurl_media', boolean | undefined>;

/** The parts of Slack's Web API that send a message, and test a token (docs.slack.dev). */
export class Slack {
	/** Sample data. */
	readonly accessToken = 'xoxb-sample-token';

	/** The only one that there is not. */
	readonly missingChannel = '#no-such-channel';

	/** What has been posted, oldest first. */
	readonly messages: SlackMessage[] = [];

	/** Called with each message. */
	onMessage?: (message: SlackMessage) => void;

	readonly host: Host = ({ method, path, headers, body }) => {
		const { authorization } = headers;
		if (authorization !== `Bearer ${this.accessToken}`) throw new Error('invalid_auth');
		if (`${method} ${path}` === 'GET /api/users.profile.get') return { ok: true };
		if (`${method} ${path}` !== 'POST /api/chat.postMessage') throw new Error('unknown_method');
		const { channel, text, unfurl_links, unfurl_media } = body as PostMessage;
		if (!channel || !text) throw new Error('no_text');
		if (channel === this.missingChannel) return { ok: false, error: 'channel_not_found' };
		const unfurls = unfurl_links !== false || unfurl_media !== false;
		this.messages.push({ channel, text, unfurls });
		this.onMessage?.({ channel, text, unfurls });
		const ts = `${this.messages.length}.000000`;
		return { ok: true, channel, ts, message: { text } };
	};
}

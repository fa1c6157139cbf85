"""The fixed words of reports in Japanese."""

from typing import Final

from elcano.activities.phrases.wording import Phrases

PHRASES: Final = Phrases(
    asked="質問：",
    partial="**一部のみ：**実行は途中で終了しました：{reason}。",
    endings={
        "stopped": "停止されました",
        "time": "時間を使い切りました",
        "tokens": "トークンの予算を使い切りました",
        "cost": "費用の予算を使い切りました",
        "iterations": "すべての反復を使い切りました",
        "steps": "すべてのステップを使い切りました",
        "stalled": "さらに検索しても新しいものは見つかりませんでした",
        "node_failed": "ステップが失敗しました",
        "provider": "提供元が応答できませんでした",
        "sections": "すべての節が最後まで調査されたわけではない",
    },
    warning="**警告：**",
    quoted="この報告は原文の引用だけからなり、作成に言語モデルは使われていません。",
    written="{models} が作成。引用はすべてプログラムが照合しました。",
    unnamed="名称のないモデル",
    not_answered="検索した情報源は、この質問に答えていません。",
    key_findings="主な結果",
    limitations="限界",
    related="関連する箇所",
    nearest="最も近い箇所",
    disputed="争点",
    strength="根拠の強さ",
    conclusion="結論",
    unverified="確認できなかったこと",
    warnings="警告",
    what_was_searched="検索の範囲",
    sources="情報源：{names}。",
    searched_for="検索語：{queries}。",
    searched_on="検索日：{day}。",
    searched_from="検索日：{first} から {last} まで。",
    retrieved_on="取得日：{day}。",
    retrieved_from="取得日：{first} から {last} まで。",
    references="参考文献",
    section_missing="**この節はありません：**{reason}",
    section_unanswered="検索した情報源は、いずれもこの節に答えていません。",
    part_unanswered="見つかったものは、この部分に答えていません。",
    section_ended="この節の調査は途中で終了しました：{reason}。",
    further="その他の箇所",
    nothing_holds="答えとして引用できるほど質問の内容を含むものは見つかりませんでした。",
    nothing_found="検索した情報源からは何も見つかりませんでした。",
    silent="見つかった箇所のどれにも次の語はありません：",
    unspoken_part="質問のこの部分に答えられるほどの内容を含む箇所は見つかりませんでした：",
    unquoted_part="質問のこの部分に関する箇所は見つかりましたが、答えとして引用したものはありません：",
    other_language=(
        "情報源がこの質問に答えているかどうかは判断できません。見つかったものは質問と異なる言語で書"
        "かれており、言語モデルなしでは何も翻訳されません。"
    ),
    unknown_language="この質問の言語の語形はここでは分かりません。語は書かれたとおりに比較されました。",
    analysis="統計解析",
    verdicts={"supported": "支持", "refuted": "否定", "inconclusive": "結論なし"},
    comma="、",
    stop="。",
)

"""Old Japanese character forms beside the new: data for `inro_native.han`, and nothing else.

Each group lists old or variant forms and ends with the form they are written in today. `JOYO` follows the forms in
parentheses in the table of jōyō kanji (Cabinet notices of 1981 and 2010); old forms that Unicode keeps as
compatibility ideographs (`神`, `都`) are missing, since normalisation has replaced them already. `OTHERS` are pairs
that Unicode encodes apart although the table holds them for one design (`説`), the simplified forms that the table of
characters outside the jōyō kanji (2000) allows, and variants common in names, places and older print.
"""

from __future__ import annotations

from typing import Final

JOYO: Final = (
    "亞亜 惡悪 壓圧 圍囲 爲為 醫医 壹壱 隱隠 榮栄 營営 衞衛 驛駅 圓円 鹽塩 緣縁 艷艶 應応 歐欧 毆殴 櫻桜 奧奥 "
    "橫横 溫温 穩穏 假仮 價価 畫画 會会 繪絵 壞壊 懷懐 槪概 擴拡 殼殻 覺覚 學学 嶽岳 樂楽 渴渇 罐缶 卷巻 陷陥 "
    "勸勧 寬寛 關関 歡歓 觀観 氣気 旣既 歸帰 僞偽 戲戱戯 犧犠 舊旧 據拠 擧舉挙 虛虚 峽峡 挾挟 狹狭 鄕鄉郷 曉暁 "
    "區区 驅駆 勳勲 薰薫 徑径 莖茎 惠恵 揭掲 溪渓 經経 螢蛍 輕軽 繼継 鷄雞鶏 藝芸 擊撃 缺欠 硏研 縣県 儉倹 "
    "劍劒劔剣 險険 圈圏 檢検 獻献 權権 顯顕 驗験 嚴厳 廣広 效効 恆恒 黃黄 鑛鉱 號号 國国 黑黒 碎砕 濟済 齋斎 "
    "劑剤 雜雑 參参 棧桟 蠶蚕 慘惨 贊賛 殘残 絲糸 齒歯 兒児 辭辞 濕溼湿 實実 寫写 釋釈 壽寿 收収 從従 澁澀渋 "
    "獸獣 縱縦 肅粛 處処 緖緒 敍敘叙 將将 稱称 涉渉 燒焼 證証 奬獎奨 條条 狀状 乘乗 淨浄 剩剰 疊畳 繩縄 壤壌 "
    "孃嬢 讓譲 釀醸 觸触 囑嘱 眞真 寢寝 愼慎 盡尽 圖図 粹粋 醉酔 穗穂 隨随 髓髄 樞枢 數数 瀨瀬 聲声 齊斉 靜静 "
    "竊窃 攝摂 專専 淺浅 戰戦 踐践 錢銭 潛潜 纖繊 禪禅 雙双 壯壮 爭争 莊荘 搜捜 插挿 巢巣 曾曽 瘦痩 裝装 總総 "
    "騷騒 增増 藏蔵 臟臓 卽即 屬属 續続 墮堕 對対 體体 帶帯 滯滞 臺台 瀧滝 擇択 澤沢 擔担 單単 膽胆 團団 斷断 "
    "彈弾 遲遅 癡痴 蟲虫 晝昼 鑄鋳 廳庁 徵徴 聽聴 敕勅 鎭鎮 遞逓 鐵鉄 點点 轉転 傳伝 燈灯 當当 黨党 盜盗 稻稲 "
    "鬭鬪闘 德徳 獨独 讀読 屆届 貳弐 惱悩 腦脳 霸覇 拜拝 廢廃 賣売 麥麦 發発 髮髪 拔抜 晚晩 蠻蛮 祕秘 濱濵浜 "
    "甁瓶 拂払 佛仏 倂併 竝並 餠餅 邊邉辺 變変 辨瓣辯弁 步歩 寶宝 豐豊 襃褒 飜翻 每毎 萬万 滿満 麵麪麺 默黙 "
    "彌弥 譯訳 藥薬 與与 豫予 餘余 譽誉 搖揺 樣様 謠謡 來来 賴頼 亂乱 覽覧 龍竜 兩両 獵猟 綠緑 淚涙 壘塁 禮礼 "
    "勵励 戾戻 靈霊 齡齢 曆暦 歷歴 戀恋 鍊錬 爐炉 勞労 郞郎 樓楼 錄録 灣湾"
)

OTHERS: Final = (
    "說説 脫脱 稅税 悅悦 銳鋭 閱閲 內内 吳呉 娛娯 戶戸 沒没 絕絶 尙尚 靑青 淸清 顏顔 產産 彥彦 歲歳 姬姫 强強 "
    "衆眾 羣群 峯峰 嶋嶌島 畧略 窗窻窓 鄰隣 冨富 﨑崎 髙高 𠮷吉 凜凛 舘館 盃杯 巖巌 圀国 埜野 堯尭 晉晋 槇槙 "
    "遙遥 瑤瑶 晄晃 萠萌 枡桝 亙亘 龜亀 穎頴 穰穣 祿禄 檜桧 蘆芦 彎弯 瀆涜 藪薮 禱祷 禰祢 "
    "啞唖 嚙噛 噓嘘 囊嚢 俠侠 剝剥 塡填 摑掴 搔掻 攪撹 屛屏 幷并 麴麹 蔣蒋 醬醤 蠟蝋 蟬蝉 鷗鴎 鹼鹸 頰頬 顚顛 "
    "繡繍 繫繋 軀躯 驒騨 濾沪 礪砺 礦砿鉱 籠篭 賤賎 諫諌 靭靱 壺壷 濤涛 焰焔 灌潅 竈竃 聰聡 蠅蝿 蠣蛎 邇迩 "
    "醱醗 鶯鴬 鰺鯵 頸頚 鱉鼈 萊莱 蔥葱 荔茘 潑溌 贗贋 皋皐 "
    "廁厠 廚厨 廏廐厩 凾函 卆卒 咒呪 壻聟婿 寃冤 廻迴回 恠怪 栢柏 欝鬱 毗毘 泪涙 涌湧 渕渊淵 煕凞熙 畆畝 畄留 "
    "盖蓋 礙碍 笋筍 粮糧 耻恥 脉脈 膓腸 舩船 莓苺 薗園 覊羈 咏詠 讎讐 豬猪 輛輌 迯逃 鈎鉤 鐮鎌 "
    "鴈雁 韭韮 飃飄 妝粧 棱稜 糉粽 痹痺 貓猫 牀床 卻却 腳脚 脣唇 污汚 冰氷 剎刹 勻匀 粵粤 舍舎 鋪舖舗 鬥闘 榆楡 "
    "暨曁 兔兎 查査"
)

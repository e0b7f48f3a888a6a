"""Small patents written for these tests, in the genuine layout of each format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sparse_coverage.patents import Patent, Problem, raise_problem, read_patents

MAREC = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE patent-document PUBLIC "-//MXW//DTD patent-document XML//EN" "http://dtd.invalid/patent-document.dtd">
<patent-document ucid="EP-0100001-B1" country="EP" doc-number="0100001" kind="B1" lang="DE" date="20020612" family-id="9007">
  <bibliographic-data>
    <publication-reference ucid="EP-0100001-B1"><document-id><country>EP</country><doc-number>0100001</doc-number>
      <kind>B1</kind><date>20020612</date></document-id></publication-reference>
    <application-reference ucid="EP-99100001-A"><document-id><date>19990301</date></document-id></application-reference>
    <priority-claims>
      <priority-claim><document-id><country>DE</country><date>19980902</date></document-id></priority-claim>
      <priority-claim><document-id><country>DE</country><date>19980303</date></document-id></priority-claim>
    </priority-claims>
    <technical-data>
      <classification-ipc><main-classification>F16K  31/06</main-classification>
        <further-classification>F16K   1/00</further-classification></classification-ipc>
      <classifications-ipcr><classification-ipcr>F16K  31/06        20060101AFI20051220RMJP        </classification-ipcr>
      </classifications-ipcr>
      <invention-title lang="DE">Ventil</invention-title>
      <invention-title lang="EN">Valve with a <i>plunger</i></invention-title>
      <invention-title lang="FR">Soupape</invention-title>
      <citations><patent-citations><patcit ucid="US-4000001-A"><document-id><country>US</country>
        <doc-number>4000001</doc-number><kind>A</kind></document-id></patcit></patent-citations></citations>
    </technical-data>
    <parties><applicants><applicant><addressbook><last-name>VENTILWERK GMBH</last-name></addressbook></applicant>
    </applicants></parties>
  </bibliographic-data>
  <abstract lang="DE"><p>Ein Ventil.</p></abstract>
  <abstract lang="EN"><p>A valve.</p><p>It closes.</p></abstract>
  <abstract lang="EN"><p>A second English abstract.</p></abstract>
  <description lang="EN">
    <heading>TECHNICAL FIELD</heading>
    <p num="0001">The invention relates to valves for CO<sub>2</sub> at 10<sup>3</sup> Pa.</p>
    <p num="0002"/>
    <heading>SUMMARY</heading>
    <p num="0003">The plunger (10) has<ul><li>a tip</li><li>a stem</li></ul></p>
    <p>   </p>
    <p num="0005">It is 5 &#181;m &amp; round.<!-- a comment --> Very.</p>
  </description>
  <claims lang="DE"><claim num="1"><claim-text>Ventil mit Kolben.</claim-text></claim>
    <claim num="2"><claim-text>Ventil nach Anspruch 1.</claim-text></claim></claims>
  <claims lang="EN">
    <claim num="1"><claim-text>A valve comprising<claim-text>a plunger; and</claim-text><claim-text>a spring.</claim-text>
    </claim-text></claim>
    <claim num="2"><claim-text>The valve of claim 1, wherein the spring is coiled.</claim-text></claim>
    <claim num="3"><claim-text>The valve of claim 2, made of steel.</claim-text></claim></claims>
  <claims lang="FR"><claim num="1"><claim-text>Soupape avec un piston.</claim-text></claim></claims>
</patent-document>
"""

EP = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE ep-patent-document PUBLIC "-//EPO//EP PATENT DOCUMENT 1.5//EN" "ep-patent-document-v1-5.dtd">
<ep-patent-document id="EP09000001B1" file="EP09000001NWB1.xml" lang="en" country="EP" doc-number="2000001" kind="B1"
 date-publ="20110302" status="n" dtd-version="ep-patent-document-v1-5">
<SDOBI lang="en"><B100><B110>2000001</B110><B130>B1</B130><B140><date>20110302</date></B140><B190>EP</B190></B100>
<B200><B210>09000001.0</B210><B220><date>20090105</date></B220></B200>
<B300><B310>1</B310><B320><date>20080201</date></B320><B330><ctry>US</ctry></B330>
<B310>2</B310><B320><date>20080101</date></B320><B330><ctry>US</ctry></B330></B300>
<B500><B510EP><classification-ipcr sequence="1"><text>B60R   7/06        20060101AFI20090302BHEP        </text>
</classification-ipcr></B510EP>
<B540><B541>de</B541><B542>ANZEIGE</B542><B541>en</B541><B542>DISPLAY</B542><B541>fr</B541><B542>AFFICHAGE</B542></B540>
<B560><B561><text>EP-A1- 1 234 567</text></B561><B561><text>WO-A-03/008444</text></B561>
<B561><text>JP-A-H05 1234</text></B561><B561><text>GB 1 234</text></B561>
<B562><text>A BOOK, 1990</text></B562></B560></B500>
<B700><B730><B731><snm>Display Works</snm></B731></B730></B700></SDOBI>
<description id="desc" lang="en"><heading id="h1"><b>Field</b></heading><p id="p1" num="0001">A display.</p>
<p id="p2" num="0002">It is <i>bright</i><br/>and flat.</p></description>
<claims id="claims01" lang="en"><claim id="c1" num="0001"><claim-text>A display.</claim-text></claim>
<claim id="c2" num="0002"><claim-text>The display of claim 1.</claim-text></claim></claims>
<claims id="claims02" lang="de"><claim id="d1" num="0001"><claim-text>Anzeige.</claim-text></claim></claims>
</ep-patent-document>
"""

US_GRANT = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE us-patent-grant SYSTEM "us-patent-grant-v45-2014-04-03.dtd" [ ]>
<us-patent-grant lang="EN" dtd-version="v4.5 2014-04-03" country="US" date-publ="20211019">
<us-bibliographic-data-grant>
<publication-reference><document-id><country>US</country><doc-number>09000001</doc-number><kind>B2</kind>
<date>20211019</date></document-id></publication-reference>
<application-reference appl-type="utility"><document-id><country>US</country><doc-number>1</doc-number>
<date>20181226</date></document-id></application-reference>
<classifications-ipcr><classification-ipcr><section>A</section><class>01</class><subclass>B</subclass>
<main-group>1</main-group><subgroup>24</subgroup></classification-ipcr></classifications-ipcr>
<classifications-cpc><main-cpc><classification-cpc><section>A</section><class>01</class><subclass>B</subclass>
<main-group>1</main-group><subgroup>243</subgroup></classification-cpc></main-cpc></classifications-cpc>
<invention-title id="d1">Hand truck</invention-title>
<us-references-cited><us-citation><patcit num="00001"><document-id><country>US</country><doc-number>554139</doc-number>
<kind>A</kind></document-id></patcit><classification-national><country>US</country>
<main-classification>A01B 99/99</main-classification></classification-national></us-citation></us-references-cited>
<us-related-documents><us-provisional-application><document-id><country>US</country><doc-number>62000001</doc-number>
<date>20171201</date></document-id></us-provisional-application></us-related-documents>
<us-parties><us-applicants><us-applicant><addressbook><orgname>Trucks Inc.</orgname></addressbook></us-applicant>
</us-applicants></us-parties>
<assignees><assignee><addressbook><orgname>Holding Ltd.</orgname></addressbook></assignee></assignees>
</us-bibliographic-data-grant>
<abstract id="abstract"><p id="p-0001" num="0000">A truck.</p></abstract>
<description id="description"><?brief-summary end="lead"?><p id="p-0002" num="0001">Trucks are known.</p>
<description-of-drawings><heading id="h">DRAWINGS</heading><p id="p-0003" num="0002"><figref>FIG. 1</figref> is a view.</p>
</description-of-drawings><p id="p-0004" num="0003">The wheel <b>12</b> turns.</p></description>
<claims id="claims"><claim id="CLM-00001-19" num="1-19"><claim-text>1-19. (canceled)</claim-text></claim>
<claim id="CLM-00020" num="20"><claim-text>20. A truck comprising: <claim-text>(a) a plate; and</claim-text>
<claim-text>(b) a wheel.</claim-text></claim-text></claim>
<claim id="CLM-00021" num="21"><claim-text>21. The truck of <claim-ref idref="CLM-00020">claim 20</claim-ref>, red.</claim-text>
</claim></claims></us-patent-grant>
"""

US_GRANT_SGML = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE PATDOC SYSTEM "ST32-US-Grant-025xml.dtd" [
<!ENTITY US06000001-20020101-D00000.TIF SYSTEM "US06000001-20020101-D00000.TIF" NDATA TIF>
]>
<PATDOC DTD="2.5" STATUS="Build 20020101"><SDOBI><B100><B110><DNUM><PDAT>06000001</PDAT></DNUM></B110>
<B130><PDAT>B1</PDAT></B130><B140><DATE><PDAT>20020101</PDAT></DATE></B140></B100>
<B200><B220><DATE><PDAT>20000424</PDAT></DATE></B220></B200>
<B300><B320><DATE><PDAT>19971022</PDAT></DATE></B320></B300>
<B500><B510><B511><PDAT>E03C 104</PDAT></B511><B512><PDAT>A61K 31505</PDAT></B512><B516><PDAT>7</PDAT></B516></B510>
<B540><STEXT><PDAT>Faucet</PDAT></STEXT></B540><B560><B561><PCIT><DOC><DNUM><PDAT>3669141</PDAT></DNUM>
<KIND><PDAT>A</PDAT></KIND></DOC></PCIT></B561></B560></B500>
<B700><B730><B731><PARTY-US><NAM><ONM><STEXT><PDAT>Taps Co.</PDAT></STEXT></ONM></NAM></PARTY-US></B731></B730></B700></SDOBI>
<SDOAB><BTEXT><PARA ID="P-1" LVL="0"><PTEXT><PDAT>A tap.</PDAT></PTEXT></PARA></BTEXT></SDOAB>
<SDODE><RELAPP><BTEXT><H LVL="1"><STEXT><PDAT>FIELD</PDAT></STEXT></H>
<PARA ID="P-2" LVL="0"><PTEXT><PDAT>At &Dgr;t of 5 &times; 10</PDAT><HIL><SP><PDAT>3</PDAT></SP></HIL><PDAT> s.</PDAT></PTEXT></PARA>
</BTEXT></RELAPP><DETDESC><BTEXT><PARA ID="P-3" LVL="0"><PTEXT><PDAT>Detail.</PDAT></PTEXT></PARA></BTEXT></DETDESC></SDODE>
<SDOCL><H LVL="1"><STEXT><PDAT>What is claimed is:</PDAT></STEXT></H><CL>
<CLM ID="CLM-00001"><PARA ID="P-4" LVL="0"><PTEXT><PDAT>1. A tap comprising:</PDAT></PTEXT></PARA>
<CLMSTEP LVL="2"><PTEXT><PDAT>a seat;</PDAT></PTEXT></CLMSTEP></CLM>
<CLM ID="CLM-00002"><PARA ID="P-5" LVL="0"><PTEXT><PDAT>2. A tap as in </PDAT><CLREF
 ID="CLM-00001"><PDAT>claim 1</PDAT></CLREF><PDAT>, new.</PDAT></PTEXT></PARA></CLM></CL></SDOCL></PATDOC>
"""

US_APPLICATION_V1 = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE patent-application-publication SYSTEM "pap-v15-2001-01-31.dtd" [
<!ENTITY US20010000009A1-20010315-D00001.TIF SYSTEM "US20010000009A1-20010315-D00001.TIF" NDATA TIF>
]>
<patent-application-publication><subdoc-bibliographic-information>
<document-id><doc-number>20010000009</doc-number><kind-code>A1</kind-code><document-date>20010315</document-date></document-id>
<domestic-filing-data><filing-date>20001201</filing-date></domestic-filing-data>
<foreign-priority-data><filing-date>19970802</filing-date><country-code>DE</country-code></foreign-priority-data>
<technical-information><classification-ipc><classification-ipc-primary><ipc>D21C011/12</ipc></classification-ipc-primary>
</classification-ipc><title-of-invention>Paper</title-of-invention></technical-information>
<assignee><organization-name>Paper AG</organization-name></assignee></subdoc-bibliographic-information>
<subdoc-abstract><paragraph id="A-1" lvl="0">A web.</paragraph></subdoc-abstract>
<subdoc-description><summary-of-invention><section><heading lvl="1">BACKGROUND</heading>
<paragraph id="P-1" lvl="0"><number>&lsqb;0001&rsqb;</number> Known:
 g/m<highlight><superscript>2 </superscript></highlight>per web.</paragraph>
</section></summary-of-invention><detailed-description><section><paragraph id="P-2" lvl="0"><number>2.</number> More.</paragraph>
</section></detailed-description></subdoc-description>
<subdoc-claims><heading lvl="1">We claim: </heading><claim id="CLM-00001"><claim-text><highlight><bold>1</bold></highlight>. A web,
 <claim-text>with fibres. </claim-text></claim-text></claim></subdoc-claims></patent-application-publication>
"""

WIPO = """<?xml version="1.0" encoding="UTF-8"?>
<wo-published-application lang="FR"><wo-bibliographic-data>
<publication-reference><document-id><country>WO</country><doc-number>2010/000001</doc-number><kind>A1</kind>
<date>20100107</date></document-id></publication-reference>
<application-reference><document-id><country>FR</country><doc-number>FR2009/1</doc-number><date>20090701</date></document-id>
</application-reference>
<wo-priority-info><priority-claim><country>FR</country><doc-number>1</doc-number><date>20080702</date></priority-claim></wo-priority-info>
<invention-title lang="EN">Lamp</invention-title><invention-title lang="FR">Lampe</invention-title>
<parties><applicants><applicant><addressbook><name>LUMIERE SA</name></addressbook></applicant></applicants></parties>
</wo-bibliographic-data>
<abstract lang="EN"><p>A lamp.</p></abstract><abstract lang="FR"><p>Une lampe.</p></abstract>
<description><p>Une lampe connue.</p></description>
<claims><claim num="1"><claim-text>Lampe.</claim-text></claim>
<claim num="2"><claim-text>Lampe selon la revendication 1.</claim-text></claim>
</claims></wo-published-application>
"""

ALL_XML = {
    "marec": MAREC,
    "ep": EP,
    "us_grant": US_GRANT,
    "us_grant_sgml": US_GRANT_SGML,
    "us_application_v1": US_APPLICATION_V1,
    "wipo": WIPO,
}


@pytest.fixture(scope="session")
def xml_samples() -> dict[str, str]:
    return ALL_XML


ReadOne = Callable[..., Patent]


@pytest.fixture
def read_one(tmp_path: Path) -> ReadOne:
    """Write a text to a file and read the one patent in it."""

    def read(content: str, language: str = "en", **options: object) -> Patent:
        path = tmp_path / "patent.file"  # the name says nothing: formats are recognised from content
        path.write_text(content, encoding="utf-8")
        options = {"on_problem": raise_problem} | options
        (patent,) = read_patents(path, language=language, **options)  # type: ignore[arg-type]
        return patent

    return read


@pytest.fixture
def problems() -> list[Problem]:
    return []
